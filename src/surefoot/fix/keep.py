"""Patches as a run: findings and losses of the program as it is, and the patches that the dashboard shows with them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from surefoot.fix.patch import Fixed, Patch
from surefoot.fix.text import summary
from surefoot.runlog.write.result import ResultRun


def keep(fixed: Fixed, run: ResultRun) -> Path:
    """Where it is now."""
    unpatched = [{**each.as_dict(), "line": each.finding.line, "fix": each.finding.fix} for each in fixed.unpatched]
    series = {"loss": fixed.before.losses}
    if fixed.patches:
        series["patched/loss"] = fixed.after.losses
    return run.write(
        summary(fixed).removeprefix("surefoot: "),
        {"patches": [_patch(patch) for patch in fixed.patches], "unpatched": unpatched},
        int(bool(fixed.unpatched)),
        findings=[dataclasses.asdict(finding) for finding in fixed.before.findings],
        series=series,
    )


def _patch(patch: Patch) -> dict[str, Any]:
    other = patch.alternative
    return {
        **patch.as_dict(),
        "file": patch.finding.file,
        "meaning": patch.meaning,
        "alternative": None if other is None else {**other.as_dict(), "meaning": other.meaning},
    }
