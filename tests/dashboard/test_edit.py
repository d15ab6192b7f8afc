"""Edits through the dashboard: who may, what they do, and that they can be taken back."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from surefoot.runlog.read.run import load_run
from tests.dashboard.client import ADDRESS, Client
from tests.dashboard.conftest import EVIL, TRAIN

OWN = {"origin": ADDRESS}
WORSE = "<img src=x onerror=alert(1)>"


def edit(client: Client, **change: Any) -> httpx.Response:
    return client.post("/api/edit", json=change, headers=OWN)


def rows(client: Client) -> dict[str, Any]:
    return {row["run"]: row for row in client.get("/api/runs").json()["runs"]}


def test_edits_are_seen_at_once_and_undone(client: Client, log: Path) -> None:
    assert rows(client)[TRAIN]["name"] is None
    answer = edit(client, runs=[TRAIN, EVIL], set={"name": WORSE, "tags": ["x", "y"], "archived": True})
    assert answer.json() == {"edits": {TRAIN: 1, EVIL: 1}}
    row = rows(client)[EVIL]
    assert (row["name"], row["tags"], row["archived"]) == (WORSE, "x,y", True)
    assert edit(client, runs=[TRAIN], set={"name": WORSE}).json() == {"edits": {}}
    assert edit(client, undo={TRAIN: 1}).status_code == 200
    assert not rows(client)[TRAIN]["archived"] and rows(client)[EVIL]["archived"]
    stale = edit(client, undo={TRAIN: 1})
    assert stale.status_code == 409 and "edit" in stale.json()["error"]
    assert load_run(log / EVIL).labels.tags == ("x", "y")


def test_deleted_and_restored(client: Client, log: Path) -> None:
    assert edit(client, delete=[TRAIN, "20260103-bad"]).status_code in (200, 409)  # the second may be written still
    assert TRAIN not in rows(client) and (log / "deleted" / TRAIN).is_dir()
    assert edit(client, restore=[TRAIN]).status_code == 200
    assert TRAIN in rows(client)


@pytest.mark.parametrize(
    "change",
    [
        {}, {"runs": [TRAIN]}, {"runs": TRAIN, "set": {"name": "x"}}, {"runs": [], "set": {"name": "x"}},
        {"runs": [TRAIN], "set": {"name": 3}}, {"runs": [TRAIN], "set": {"status": "x"}},
        {"runs": [TRAIN], "set": {"tags": [3]}}, {"runs": [TRAIN], "set": {"archived": 1}},
        {"runs": [TRAIN], "set": {}},
        {"undo": [TRAIN]}, {"undo": {TRAIN: True}}, {"delete": TRAIN}, {"restore": [3]},
    ],
)  # fmt: skip
def test_what_is_no_edit(client: Client, log: Path, change: dict[str, Any]) -> None:
    assert edit(client, **change).status_code == 400
    assert not list(log.glob("*/edit-*"))


@pytest.mark.parametrize("name", ["../secret.txt", "..", "checkpoints", "", "20260101", "/etc"])
@pytest.mark.parametrize("kind", ["delete", "restore", "set", "undo"])
def test_names_lead_nowhere_else(client: Client, log: Path, name: str, kind: str) -> None:
    change = {
        "set": {"runs": [name], "set": {"name": "x"}},
        "undo": {"undo": {name: 1}},
        "delete": {"delete": [name]},
        "restore": {"restore": [name]},
    }
    before = sorted(log.parent.rglob("*"))
    assert edit(client, **change[kind]).status_code in (404, 409)
    assert sorted(log.parent.rglob("*")) == before


def test_who_may(client: Client, stranger: Client, log: Path) -> None:
    change = {"runs": [TRAIN], "set": {"name": "x"}}
    assert client.post("/api/edit", json=change).status_code == 403  # a browser says where it comes from
    assert client.post("/api/edit", json=change, headers={"origin": "http://other.example"}).status_code == 403
    assert client.post("/api/edit", data=change, headers=OWN).status_code == 415
    assert client.get("/api/edit").status_code == 405
    auth = Auth()
    app, live = make_app(log, auth, allows_edits=False)
    with Client(app) as other:
        assert edit(other, **change).status_code == 401
        other.get(f"/?token={auth.token}")
        assert other.get("/api/runs").json()["can_edit"] is False
        assert edit(other, **change).status_code == 403
    live.close()
    assert not list(log.glob("*/edit-*"))
