"""Proven patches beside findings: those of `surefoot fix` on the same program, as far as its source is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.result import read_result
from surefoot.runlog.read.run import Run, load_run

MOST_LOOKED_AT = 3  # of the newest fixes, of which some may be of scripts elsewhere that have the same name
Place = tuple[str, str | None, int | None]


def add_patches(found: list[dict[str, Any]], run: Run) -> None:
    """Each finding gets `patches`: the diffs that mend it, if the lines around it are those that were patched."""
    patches, excerpts = _newest(run)
    for finding in found:
        place = _place(finding)
        is_same = excerpts.get(place) == finding["excerpt"]
        finding["patches"] = [one for one in patches if is_same and _place(one) == place]


def _newest(run: Run) -> tuple[list[dict[str, Any]], dict[Place, Any]]:
    """What the newest fix of this program proposes, and the source that it saw."""
    for folder in dict.fromkeys([run.folder, *_fixes(run)]):
        try:
            fix = load_run(folder)
            result = read_result(fix)
        except RunLogError:
            continue
        if result and result["of"] == "fix" and _program(fix) == _program(run):
            process = fix.first
            excerpts = zip(process.findings(), process.excerpts(), strict=True)
            return result.get("patches", []), {_place(one): lines for one, lines in excerpts}
    return [], {}


def _fixes(run: Run) -> list[Path]:
    """By their names, the newest first."""
    name = Path(run.meta.get("script", "")).stem
    return sorted(run.folder.parent.glob(f"*-fix-{name}-*"), reverse=True)[:MOST_LOOKED_AT]


def _program(run: Run) -> Path:
    return Path(run.meta.get("cwd", ""), run.meta.get("script", ""))


def _place(one: dict[str, Any]) -> Place:
    return one["rule"], one["file"], one["line"]
