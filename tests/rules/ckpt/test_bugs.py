"""Every buggy program gets exactly the rule it was written for, on the line it was written for."""

from pathlib import Path

import pytest

from tests.rules.ckpt.bugs import BUGS, HEAD
from tests.rules.twins import watch_program

pytestmark = pytest.mark.usefixtures("untraced")

CASES = [pytest.param(rule, code, id=f"{rule}: {name}") for rule, bugs in BUGS.items() for name, code in bugs.items()]


@pytest.mark.parametrize(("rule", "code"), CASES)
def test_bug_is_found_on_its_line(rule: str, code: str, tmp_path: Path) -> None:
    program = HEAD + code
    findings, _ = watch_program(program, tmp_path / "train.py")
    line = next(number for number, text in enumerate(program.splitlines(), 1) if text.endswith("# here"))
    assert {(f.rule, f.line) for f in findings if f.severity != "note" or f.rule == rule} == {(rule, line)}
