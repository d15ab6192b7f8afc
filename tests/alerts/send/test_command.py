"""Any command, with the alert on its stdin."""

import json
import sys
import time
from pathlib import Path

import pytest

from surefoot.alerts.send import DestinationError, SendError, command, destination

KEEP = "import sys, pathlib; pathlib.Path('got.json').write_text(sys.stdin.read()); print('chatter')"


def python(code: str, *args: str) -> str:
    """A `cmd:` address; no quotes or spaces that a shell of some system would take otherwise."""
    file = Path("command.py")
    file.write_text(code)
    return " ".join([f"cmd:{Path(sys.executable).as_posix()}", file.name, *args])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_gets_the_alert(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    where = destination(python(KEEP, "SECRET"))
    where.check()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")  # as programs do
    where.send({"title": "hello"})
    assert json.loads((tmp_path / "got.json").read_text()) == {"title": "hello"}
    assert capfd.readouterr().out == ""  # stdout belongs to the script
    assert where.shown == f"cmd:{Path(sys.executable).name} …"


def test_a_command_that_fails_or_does_not_listen() -> None:
    with pytest.raises(SendError, match="status 3: no more paper") as failed:
        destination(python("import sys; print('no more paper', file=sys.stderr); sys.exit(3)")).send({})
    assert failed.value.may_pass
    destination(python("pass")).send({"message": "x" * 1_000_000})  # nobody reads it


def test_what_a_failing_command_repeats_is_not_told() -> None:
    code = "import sys; sys.exit(f'POST https://elsewhere.example/SECRET: token {sys.argv[1]} is refused')"
    with pytest.raises(SendError, match="status 1: POST https://… token … is refused"):
        destination(python(code, "SECRET-4711")).send({})


def test_a_command_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SEND_SECONDS", 0.5)
    started = time.monotonic()
    sleeper = f"import subprocess, sys; subprocess.run([{sys.executable!r}, '-c', 'import time; time.sleep(60)'])"
    with pytest.raises(SendError, match="did not end within"):
        destination(python(sleeper)).send({})
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cmd:", "needs a command"),
        ("cmd:no-such-thing-here x", "no command 'no-such"),
        ("cmd:hooks/x", "no such command"),
    ],
)
def test_what_can_not_be_run_is_refused(text: str, why: str) -> None:
    with pytest.raises(DestinationError, match=why):
        destination(text).check()


@pytest.mark.skipif(sys.platform == "win32", reason="quotes are kept as they are there")
def test_quotes_that_are_not_closed_are_refused() -> None:
    with pytest.raises(DestinationError, match="can't be read: no closing quotation"):
        destination("cmd:echo 'x")
