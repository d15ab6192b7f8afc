"""The page about the run log: its examples run, top to bottom, and its tables are those of the views."""

import re
import shlex
from pathlib import Path

import pytest

from surefoot.cli.main import COMMANDS, main
from surefoot.runlog.read.sql.views import VIEWS

PAGE = (Path(__file__).parents[2] / "docs" / "run-log.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    names: dict[str, object] = {"__name__": "run-log"}
    blocks = re.findall(r"^```(python|console)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert {kind for kind, _ in blocks} == {"python", "console"}
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, "run-log.md", "exec"), names)
        else:
            for command, shown in re.findall(r"^\$ surefoot (.*)\n((?:[^$].*\n)*)", text, re.MULTILINE):
                check(command, shown, capsys)


def check(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It succeeds, and says what the page shows of it."""
    capsys.readouterr()
    args = shlex.split(command, comments=True)
    if args[:1] == ["compare"]:  # the page names a run of its time
        args[1] = min(folder.name for folder in Path("runs").iterdir())
    assert main(args) == 0, command
    said = capsys.readouterr().out.splitlines()
    for line in shown.splitlines():
        assert line.split() == said[0].split(), command


def test_every_view_is_told_with_its_columns() -> None:
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL))
    told = {view: dict(re.findall(r"^\| (\w+) \| ([A-Z]+) \|", text, re.MULTILINE)) for view, text in sections.items()}
    assert told == VIEWS


NOT_ON_RUNS = {
    "run",
    "check",
    "verify",
    "fix",
    "trace",
    "rules",
    "explain",
    "schedule",
    "lr-find",
    "gradcheck",
    "learn",
}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - NOT_ON_RUNS))
def test_every_command_on_runs_is_told(command: str) -> None:
    assert re.search(rf"^\| `{command}\b", PAGE, re.MULTILINE)
