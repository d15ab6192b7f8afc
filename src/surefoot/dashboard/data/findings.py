"""What was found in a run, with the lines of source that were stored with it."""

from __future__ import annotations

import json
from typing import Any

from surefoot.dashboard.data.patches import add_patches
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import Run


def findings(run: Run) -> list[dict[str, Any]]:
    """Of all its processes, by step."""
    found = [finding for process in run for finding in findings_of(run.name, process)]
    if found:
        add_patches(found, run)
    return sorted(found, key=lambda finding: int(finding["step"]))


def findings_of(run: str, process: StoredProcess) -> list[dict[str, Any]]:
    excerpts = process.excerpts()
    return [
        {"run": run, "rank": process.rank, **finding, "evidence": _evidence(finding["evidence"]), "excerpt": excerpt}
        for finding, excerpt in zip(process.findings(), excerpts, strict=True)
    ]


def _evidence(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}
