"""The examples of the page about the lab run, and its commands say what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from surefoot.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|console)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join(text for kind, text in BLOCKS if kind == "python")
    exec(compile(text, "lab.md", "exec"), {"__name__": "lab"})


def test_schedules_look_as_they_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [text for kind, text in BLOCKS if kind == "console" and text.startswith("$ surefoot schedule ")]
    assert shown
    for text in shown:
        command, _, said = text.partition("\n")
        assert main(shlex.split(command)[2:]) == 0
        assert capsys.readouterr().out == said
