"""`surefoot trace` inside the test process: fast, because torch is there already."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from surefoot.cli.main import main
from surefoot.launch import outcome
from tests.cli.command import write


@dataclass(frozen=True)
class Traced:
    status: int
    told: dict[str, Any]
    out: str

    def stages(self, *kinds: str, step: int | None = None) -> list[dict[str, Any]]:
        return [
            stage
            for stage in self.told["stages"]
            if (not kinds or stage["kind"] in kinds) and step in (None, stage["step"])
        ]

    def kinds(self, step: int) -> list[str]:
        return [stage["kind"] for stage in self.stages(step=step)]


TraceHere = Callable[..., Traced]


@pytest.fixture
def stays_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only_own_models: None) -> Iterator[None]:
    """Commands run in `tmp_path`, without Python's own winding-up, which would take pytest along."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outcome, "wait_for_threads", lambda: None)
    monkeypatch.setattr(outcome, "run_exit_functions", lambda: None)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    handler = signal.getsignal(signal.SIGTERM)
    yield
    assert signal.getsignal(signal.SIGTERM) == handler


@pytest.fixture
def trace_here(stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> TraceHere:
    """Trace a program; its stages as JSON has them."""

    def trace(code: str, *options: str) -> Traced:
        script = write(tmp_path / "train.py", code)
        file = tmp_path / "trace.json"
        status = main(["trace", "--format", "json", "-o", str(file), *options, str(script)])
        captured = capsys.readouterr()
        assert captured.err == ""
        return Traced(status, json.loads(file.read_text(encoding="utf-8")), captured.out)

    return trace
