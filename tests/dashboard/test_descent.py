"""The optimizer lab by its address: paths, what is refused, and a worker that is not started before it is needed."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from tests.dashboard.client import ADDRESS, Client

OWN = {"Origin": ADDRESS}
SENT = {**OWN, "Content-Type": "application/json"}
LONG = {"steps": 2000, "paths": [{"accumulate": 64, "optimizer": "LBFGS", "max_iter": 20, "line_search": True}] * 4}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Any]]:
    """A client that is let in, with a worker that all tests share: torch is imported once."""
    auth = Auth()
    app, live = make_app(tmp_path_factory.mktemp("runs"), auth)
    with Client(app) as client:
        client.get(f"/?token={auth.token}")
        yield client, app._app.state  # type: ignore[attr-defined]
    live.close()


def asked(lab: tuple[Client, Any], settings: Any) -> Any:
    return lab[0].post("/api/descent", json=settings, headers=OWN)


def test_nothing_is_started_before_it_is_asked_for(log: Path, auth: Auth) -> None:
    app, _ = make_app(log, auth)
    with Client(app) as client:
        client.get(f"/?token={auth.token}")
        client.get("/")
        client.get("/api/runs")
        assert not hasattr(app._app.state, "descent")  # type: ignore[attr-defined]


def test_a_path_is_that_of_torch(lab: tuple[Client, Any]) -> None:
    import torch

    w = torch.tensor([3.0, 2.0], requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.3)
    for _ in range(20):
        optimizer.zero_grad()
        (w[0] ** 2 + 4 * w[1] ** 2).backward()
        optimizer.step()
    answer = asked(lab, {"steps": 20, "paths": [{"optimizer": "Adam", "rate": 0.3}, {"rate": 0.3}]})
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
    adam, sgd = answer.json()["paths"]
    assert torch.tensor([adam["w0"][-1], adam["w1"][-1]]).equal(w.detach())
    assert len(adam["loss"]) == 21 and adam["diverged_at"] is None and adam["rate"] == [0.3] * 20
    assert sgd["w1"][1] == pytest.approx(-2.8)


def test_what_is_wrong_is_told_by_field(lab: tuple[Client, Any]) -> None:
    answer = asked(lab, {"steps": 3000, "paths": [{"rate": -1}, {"optimizer": "Muon"}]})
    assert answer.status_code == 400
    told = answer.json()
    assert set(told["fields"]) == {"steps", "paths.0.rate", "paths.1.optimizer"}
    assert "at most 1000, got -1" in told["fields"]["paths.0.rate"] and "got -1" in told["error"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"a"', b"{}", b'{"paths": 1}', b'{"paths": [null]}', b"[" * 4000,
        b'{"paths": [{"rate": NaN}]}', b'{"paths": [{"rate": 1e999}]}', b'{"paths": [{"rate": 1' + b"0" * 5000 + b"}]}",
        b'{"paths": [{"rate": 1' + b"0" * 400 + b"}]}", b'{"steps": 99999999999999999999, "paths": [{}]}',
        b'{"paths": [{"accumulate": 1e308}]}', b'{"paths": [{"optimizer": {"a": [1]}}]}',
        b'{"paths": [{"__init__": 1}]}', b'{"paths": [{"optimizer": "__class__"}]}', b'{"start": {}, "paths": [{}]}',
        b'{"paths": [{}], "x": "' + b"x" * 20_000 + b'"}', b"\xff\xfe",
    ],
)  # fmt: skip
def test_rubbish_is_refused(lab: tuple[Client, Any], body: bytes) -> None:
    answer = lab[0].post("/api/descent", content=body, headers=SENT)
    assert answer.status_code == 400
    assert answer.json()["error"] and len(answer.text) < 1000


def test_only_the_page_may_ask(lab: tuple[Client, Any]) -> None:
    body = json.dumps({"paths": [{}]}).encode()
    for headers in ({"Content-Type": "application/json"}, {**SENT, "Origin": "http://evil.example"}):
        assert lab[0].post("/api/descent", content=body, headers=headers).status_code == 403
    assert lab[0].post("/api/descent", content=body, headers={**OWN, "Content-Type": "text/plain"}).status_code == 415
    assert lab[0].get("/api/descent").status_code == 405


def test_a_stranger_starts_nothing(stranger: Client) -> None:
    assert stranger.post("/api/descent", json={"paths": [{}]}, headers=OWN).status_code == 401


def test_a_worker_that_was_killed_is_replaced(lab: tuple[Client, Any]) -> None:
    asked(lab, {"paths": [{}]})
    worker = lab[1].descent
    before = worker.pid
    worker._process.kill()
    worker._process._process.wait()
    statuses = [asked(lab, {"paths": [{}]}).status_code for _ in range(2)]  # the first may be told of the end
    assert statuses[-1] == 200 and statuses[0] in (200, 503)
    assert worker.pid not in (None, before)


def test_the_newest_wins(lab: tuple[Client, Any]) -> None:
    asked(lab, {"paths": [{}]})
    worker = lab[1].descent
    number, long = worker.ask(LONG)
    assert not long.done()
    _, newer = worker.ask({"paths": [{}]})
    assert long.result(30).get("stopped") and newer.result(30)["paths"]
    number, long = worker.ask(LONG)
    worker.cancel(number)
    assert long.result(30).get("stopped")


def test_the_server_has_no_torch() -> None:
    """In a process of its own: this one has it for other reasons."""
    import subprocess

    text = (
        "import sys, surefoot.dashboard.server.app, surefoot.dashboard.server.api.descent\n"
        "sys.exit('torch' in sys.modules or 'surefoot.lab' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", text]).returncode == 0
