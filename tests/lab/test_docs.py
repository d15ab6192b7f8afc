"""The examples of the page about the lab run, and its commands say what it shows."""

import shlex
from pathlib import Path

import pytest

from surefoot.cli.main import main
from tests.guide.page import assert_shown, blocks, commands

BLOCKS = blocks((Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8"))


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join(block.text for block in BLOCKS if block.kind == "python")
    exec(compile(text, "lab.md", "exec"), {"__name__": "lab"})


def test_schedules_look_as_they_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [pair for block in BLOCKS if block.kind == "console" for pair in commands(block)]
    schedules = [(command, text) for command, text in shown if command.startswith("surefoot schedule ")]
    assert schedules
    for command, text in schedules:
        assert main(shlex.split(command)[1:]) == 0
        assert_shown(text, capsys.readouterr().out, command)
