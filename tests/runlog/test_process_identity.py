"""A process is known by its number and its start."""

import os
import subprocess
import sys

import pytest

from surefoot.runlog import process_identity
from surefoot.runlog.process_identity import is_alive, started

needs_a_way_to_tell = pytest.mark.skipif(
    process_identity.SYSTEM not in ("Linux", "Darwin"), reason="nothing is told here"
)


@needs_a_way_to_tell
def test_a_process_lives_until_it_ends() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    since = started(child.pid)
    assert since and since != started()
    assert is_alive(child.pid, since)
    assert not is_alive(child.pid, "another start")
    child.kill()
    child.communicate()
    assert not is_alive(child.pid, since)
    assert is_alive(os.getpid(), started())


def test_what_cant_be_told_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_alive(os.getpid(), "") is None
    monkeypatch.setattr(process_identity, "SYSTEM", "Windows")
    assert started() == ""
    assert is_alive(os.getpid(), "something") is None


@pytest.mark.skipif(process_identity.SYSTEM == "Windows", reason="there is no ps")
def test_where_there_is_no_proc_ps_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_identity, "SYSTEM", "Darwin")
    monkeypatch.setattr(process_identity, "PS", "ps")
    assert started() and is_alive(os.getpid(), started())
    monkeypatch.setattr(process_identity, "PS", "no-such-command")
    assert started() == ""
