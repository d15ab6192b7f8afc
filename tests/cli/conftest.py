"""`surefoot run` inside the test process: fast, because torch is there already."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from surefoot.cli.main import main
from surefoot.launch import outcome
from tests.cli.command import Done

RunHere = Callable[..., Done]


@pytest.fixture
def run_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Iterator[RunHere]:
    """Run it in `tmp_path`, without Python's own winding-up, which would take pytest along."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outcome, "wait_for_threads", lambda: None)
    monkeypatch.setattr(outcome, "run_exit_functions", lambda: None)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    handler = signal.getsignal(signal.SIGTERM)

    def run(*args: str) -> Done:
        status = main(["run", *args])
        captured = capfdbinary.readouterr()
        return Done(status, captured.out, captured.err.decode())

    yield run
    assert signal.getsignal(signal.SIGTERM) == handler
    os.chdir(tmp_path)
