"""The page about traces: its program prints what it shows, and its tables have every field."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from surefoot.cli.main import main
from surefoot.lab.trace import stage
from surefoot.lab.trace.plain import as_dict
from tests.guide.page import assert_shown

PAGE = (Path(__file__).parents[3] / "docs" / "trace.md").read_text(encoding="utf-8")
SHARED = {field.name for field in fields(stage.Stage)}
KINDS: list[Any] = [
    stage.Pass, stage.Data, stage.Forward, stage.Evaluation, stage.Loss, stage.Backward, stage.Clear, stage.Edit,
    stage.Unscale, stage.Clip, stage.Step, stage.Schedule,
]  # fmt: skip
PARTS: dict[str, Any] = {
    "items": stage.Item, "tensor": stage.Glimpse, "calls": stage.ModuleCall, "changes": stage.Change,
    "rates": stage.Rate, "epochs": stage.Epoch, "losses": stage.LossCurve,
    "held_out": stage.HeldOut,
}  # fmt: skip


def test_the_program_prints_what_is_shown(stays_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "line.py").write_text(program, encoding="utf-8")
    shown = re.findall(r"^\$ surefoot (trace [^\n]* line.py)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for command, text in shown:
        assert main(command.split()) == 0
        assert_shown(text, capsys.readouterr().err, command)


def rows(text: str) -> dict[str, set[str]]:
    found = re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", told)) for name, told in found}


def test_every_field_is_told() -> None:
    told = rows(PAGE)
    for kind in KINDS:
        own = {field.name for field in fields(kind)} - SHARED
        name = next(field.default for field in fields(kind) if field.name == "kind")
        assert own <= told[name], name
    for name, part in PARTS.items():
        assert {field.name for field in fields(part)} <= told[name], name


def test_the_whole_is_told() -> None:
    (table,) = re.findall(r"^\| field \| \|\n(.*?)^$", PAGE, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[1:])))
    assert named == {*as_dict(stage.Trace("train.py", 1, 2)), "crc"}, "a file also has its checksum"
