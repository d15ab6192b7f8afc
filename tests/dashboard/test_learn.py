"""What is taught, and its programs run by the server: only known ones, only for the page, and none is left."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.dashboard.server.api import twins
from surefoot.rules.catalogue import catalogue
from tests.dashboard.client import ADDRESS, Client
from tests.dashboard.test_live import Server

OWN = {"Origin": ADDRESS}
posix = pytest.mark.skipif(sys.platform == "win32", reason="asks ps")


def test_families_and_rules_are_listed(client: Client) -> None:
    families = client.get("/api/learn").json()["families"]
    assert {family["family"] for family in families} == {rule.family for rule in catalogue().values()}
    assert all(family["about"] and family["rules"] for family in families)
    assert {"rule", "level", "summary"} == set(families[0]["rules"][0])


def test_a_rule_and_a_family(client: Client) -> None:
    rule = client.get("/api/learn/stale-gradients").json()
    assert rule["belief"] and rule["truth"] and rule["obstacle"] == "" and rule["family"] == "grad"
    assert [section["title"] for section in rule["sections"]][:2] == ["What it does", "Why it matters"]
    assert any(line["differs"] for line in rule["lines"]["good"])
    family = client.get("/api/learn/families/grad").json()
    assert {len(question["choices"]) for question in family["questions"]} == {3}


@pytest.mark.parametrize(
    "name", ["no-such-rule", "...", "%2e%2e%2fpasswd", "grad", "stale-gradients%20--help", "--help"]
)
def test_what_is_no_rule_is_refused(client: Client, name: str) -> None:
    assert client.get(f"/api/learn/{name}").status_code == 404
    assert client.get(f"/api/learn/families/{name}").status_code == (200 if name == "grad" else 404)
    answer = client.post(f"/api/learn/{name}/run", headers=OWN)
    assert answer.status_code == 404


def test_another_site_can_start_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, "_start", lambda rule: pytest.fail("it was started"))
    path = "/api/learn/stale-gradients/run"
    for headers in ({}, {"Origin": "http://evil.example"}, {**OWN, "Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert client.post(path, headers=headers).status_code == 403
    assert client.get(path).status_code == 405
    client.cookies.clear()
    assert client.post(path, headers=OWN).status_code == 401


def test_what_can_not_be_run_is_not_started(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.rules.lesson.sys.platform", "darwin")
    answer = client.post("/api/learn/duplicate-worker-randomness/run", headers=OWN)
    assert answer.status_code == 409 and "fork" in answer.json()["error"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "runs").mkdir()
    started = Server(tmp_path / "runs", "--port", "0")
    yield started
    started.close()


def own(server: Server) -> dict[str, str]:
    return {"Origin": str(server.client.base_url).rstrip("/")}


def test_both_programs_are_run_and_told_line_by_line(server: Server) -> None:
    with server.client.stream("POST", "/api/learn/stale-gradients/run", headers=own(server)) as answer:
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/x-ndjson")
        lines = [json.loads(line) for line in answer.iter_lines()]
    kinds = [line["kind"] for line in lines]
    assert kinds[0] == "begin" and kinds[-1] == "done" and kinds.count("end") == 2
    assert {line["finding"]["rule"] for line in lines if line["kind"] == "finding"} == {"stale-gradients"}


@posix
@pytest.mark.parametrize("how", ["closed", "server ended", "server killed"])
def test_no_process_is_left(server: Server, how: str) -> None:
    with server.client.stream("POST", "/api/learn/loss-flat/run", headers=own(server)) as answer:
        for line in answer.iter_lines():
            if json.loads(line)["kind"] == "ready":
                break
        started = descendants(server.process.pid)
        assert len(started) >= 2, "the command and one of its two programs"
        if how == "server ended":
            server.end()
        elif how == "server killed":
            server.process.kill()
    deadline = time.monotonic() + 30
    while left := started & processes().keys():
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


@posix
def test_two_at_once_and_no_more(server: Server) -> None:
    path = "/api/learn/loss-flat/run"
    with (
        server.client.stream("POST", path, headers=own(server)) as one,
        server.client.stream("POST", path, headers=own(server)) as two,
    ):
        assert one.status_code == two.status_code == 200
        third = server.client.post(path, headers=own(server))
        assert third.status_code == 429 and "Wait for one to end" in third.json()["error"]


def processes() -> dict[int, int]:
    """Parents by their children; the dead that nobody has asked for yet are none."""
    said = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True).stdout
    rows = [line.split() for line in said.splitlines()]
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}


def descendants(pid: int) -> set[int]:
    parents = processes()
    found, new = set[int](), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        found |= new
    return found
