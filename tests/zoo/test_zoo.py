"""Healthy programs that look like bugs: nothing above a note may fire."""

from pathlib import Path

import pytest

from tests.rules.twins import watch_program

PROGRAMS = sorted(p for p in Path(__file__).parent.glob("*.py") if not p.name.startswith(("test_", "__init__")))


@pytest.mark.usefixtures("only_own_models")  # those of another program may have the same weights
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_nothing_above_a_note_fires(program: Path, tmp_path: Path) -> None:
    findings, _ = watch_program(program.read_text(), tmp_path / program.name)
    assert [f for f in findings if f.severity != "note"] == []
