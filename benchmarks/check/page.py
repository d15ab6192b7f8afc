"""docs/check-corpus.md, from what was seen."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.check.defects import PROGRAMS, Defect

Verdicts = Mapping[str, Mapping[str, Any]]  # by the name of the check
HEAD = """\
# What `surefoot check` shows

Written by `make bench-check`: {programs} clean programs, all checks of each, and the same programs with {defects}
defects, one at a time, each with the check that must fail. `benchmarks/check/` has them. Thresholds were settled on
these programs, so they are no blind test of them; [field notes](field-notes.md#checked) has public ones.

Shown: {shown} of {defects} defects. Accused: {accused} of {programs} clean programs.
"""


def page(clean: Sequence[tuple[str, Verdicts]], defects: Sequence[tuple[Defect, Mapping[str, Any]]]) -> str:
    shown = sum(verdict["verdict"] == "fail" for _, verdict in defects)
    accused = sum(bool(_named(verdicts, "fail")) for _, verdicts in clean)
    counts = {"programs": len(clean), "defects": len(defects), "shown": shown, "accused": accused}
    lines = [HEAD.format(**counts), "## Clean programs", ""]
    lines += ["| program | | passed | failed | not tested |", "|---|---|---|---|---|"]
    for name, verdicts in clean:
        cells = [", ".join(_named(verdicts, answer)) or "none" for answer in ("pass", "fail", "not-tested")]
        lines.append(f"| {name} | {_about(name)} | {' | '.join(cells)} |")
    lines += ["", "## Defects", "", "| program | defect | check | | what is said |", "|---|---|---|---|---|"]
    for defect, verdict in defects:
        sign = "shown" if verdict["verdict"] == "fail" else "missed"
        lines.append(f"| {defect.program} | {defect.name} | {defect.check} | {sign} | {_in_cell(verdict['why'])} |")
    return "\n".join(lines) + "\n"


def _named(verdicts: Verdicts, answer: str) -> list[str]:
    return [name for name, verdict in verdicts.items() if verdict["verdict"] == answer]


def _about(name: str) -> str:
    text = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    return _in_cell((ast.get_docstring(ast.parse(text)) or "").splitlines()[0])


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")
