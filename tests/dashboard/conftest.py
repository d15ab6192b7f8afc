"""A folder of small runs, and a client that has been let in."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from tests.dashboard.client import Client
from tests.runlog.making import FINISHED, LogFile

TRAIN = "20260101-train"
EVIL = "20260102-<img src=x onerror=alert(1)>"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two runs that can be read, one that can't, and a folder that is none."""
    folder = tmp_path / "runs"
    with LogFile(folder / TRAIN / "rank-0.db", {**FINISHED, "command": '["train.py"]'}) as first:
        first.log(range(1, 101), loss=[2.0 / step for step in range(1, 100)] + [math.nan], acc=[0.5] * 100)
        first.finding()
        first.event(3, "stop", "loss below 2")
    with LogFile(folder / TRAIN / "rank-1.db") as second:
        second.log(range(1, 11), loss=[1.0] * 10)
    with LogFile(folder / EVIL / "rank-0.db", {**FINISHED, "script": "<script>alert(1)</script>"}) as third:
        third.log([1, 2], loss=[1.0, math.inf], **{"</script><script>alert(1)</script>": [1.0, 2.0]})
    (folder / "20260103-bad").mkdir()
    (folder / "20260103-bad" / "rank-0.db").write_bytes(b"rubbish")
    (folder / "checkpoints").mkdir()
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return folder


@pytest.fixture
def auth() -> Auth:
    return Auth()


@pytest.fixture
def stranger(log: Path, auth: Auth) -> Iterator[Client]:
    """A browser that was told nothing."""
    app, live = make_app(log, auth)
    with Client(app) as client:
        yield client
    live.close()


@pytest.fixture
def client(stranger: Client, auth: Auth) -> Client:
    assert stranger.get(f"/?token={auth.token}").status_code == 303
    return stranger
