"""Patches that were proven, and findings without one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.facts.json_text import json_value
from surefoot.fix.trial import Trial
from surefoot.judge import Finding
from surefoot.report.place import relative


@frozen
class Patch:
    """A change of one file that was proven. Its diff is against the state that the patches before it left."""

    finding: Finding
    line: int | None  # of the finding, in the user's own file
    file: Path
    original: str  # as the user has it
    before: str  # with the patches before this one
    after: str
    meaning: str  # as an instruction
    loss_before: float | None
    loss_after: float | None
    alternative: "Patch | None" = None  # as good a proof, another intent

    @property
    def diff(self) -> str:
        """Unified, for `git apply` or `patch -p1` from the working folder."""
        name = relative(str(self.file))
        old, new = (f"a/{name}", f"b/{name}") if name is not None else (str(self.file), str(self.file))
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True), self.after.splitlines(keepends=True), old, new
        )
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.finding.rule,
            "file": self.finding.file,
            "line": self.line,
            "meaning": self.meaning,
            "diff": self.diff,
            "proven": True,
            "loss_before": json_value(self.loss_before),
            "loss_after": json_value(self.loss_after),
            "alternative": None if self.alternative is None else self.alternative.as_dict(),
        }


@frozen
class Unpatched:
    finding: Finding
    why: str

    def as_dict(self) -> dict[str, Any]:
        finding = self.finding
        return {"rule": finding.rule, "file": finding.file, "line": finding.line, "fix": finding.fix, "why": self.why}


@frozen
class Fixed:
    """All that `surefoot fix` found out about a program."""

    patches: tuple[Patch, ...]
    unpatched: tuple[Unpatched, ...]
    before: Trial
    after: Trial
    texts: Mapping[Path, str]  # the changed files with all patches

    def as_dict(self) -> dict[str, Any]:
        return {
            "patches": [patch.as_dict() for patch in self.patches],
            "unpatched": [each.as_dict() for each in self.unpatched],
        }


def original_line(original: str, text: str, line: int | None) -> int | None:
    """Where a line of the patched text stands, or stood, in the user's file."""
    if line is None or original == text:
        return line
    matcher = difflib.SequenceMatcher(None, text.splitlines(), original.splitlines(), autojunk=False)
    for _, start, end, original_start, original_end in matcher.get_opcodes():
        if start < line <= end:
            return min(original_start + line - start, max(original_end, 1))
    return line
