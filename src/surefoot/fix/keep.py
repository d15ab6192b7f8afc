"""Patches as a run: findings and losses of the program as it is, and the patches that the dashboard shows with them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from surefoot.fix.patch import Fixed
from surefoot.fix.text import summary
from surefoot.runlog.write.result import ResultRun


def keep(fixed: Fixed, run: ResultRun) -> Path:
    """Where it is now."""
    series = {"loss": fixed.before.losses}
    if fixed.patches:
        series["patched/loss"] = fixed.after.losses
    return run.write(
        summary(fixed).removeprefix("surefoot: "),
        fixed.as_dict(),
        int(bool(fixed.unpatched)),
        findings=[dataclasses.asdict(finding) for finding in fixed.before.findings],
        series=series,
    )
