"""The page about alerts: its examples run, and every function is told."""

import re
import shlex
from pathlib import Path

import pytest
import torch

from surefoot.alerts.expression import parse
from surefoot.alerts.expression.function import FUNCTIONS
from surefoot.cli.main import main
from surefoot.cli.run_options import parse as parse_run

PAGE = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    (tmp_path / "train.py").write_text("raise SystemExit('it ran')")
    model = torch.nn.Linear(4, 1)
    names = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}
    blocks = re.findall(r"^```(python|console)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert {kind for kind, _ in blocks} == {"python", "console"}
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, "alerts.md", "exec"), names)
            continue
        for command, shown in re.findall(r"^\$ surefoot (.*)\n((?:[^$].*\n)*)", text, re.MULTILINE):
            capsys.readouterr()
            args = shlex.split(command, comments=True)
            if args[0] == "run" and not shown:
                assert parse_run(args[1:])[1].name == "train.py"
                continue
            assert main(args) == (2 if args[0] == "run" else 0)
            said = capsys.readouterr()
            assert shown.splitlines()[0].split() == (said.err if args[0] == "run" else said.out).splitlines()[0].split()


def test_every_function_is_told() -> None:
    assert set(re.findall(r"`(\w+)\(x", PAGE)) == {*FUNCTIONS, "finite"}


def test_the_expressions_are_some() -> None:
    (block,) = re.findall(r"^```\n(loss > 3\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert [parse(line).text for line in block.splitlines()] == block.splitlines()
