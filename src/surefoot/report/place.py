"""Paths of findings, as readers of reports want them."""

import os
from pathlib import Path

from surefoot.judge import Finding
from surefoot.report.cell import cell


def relative(file: str, folder: str | None = None) -> str | None:
    """The path seen from the working folder with forward slashes; None when it lies elsewhere. A cell by its number."""
    if (name := cell(file)) is not None:
        return name
    try:
        inside = Path(os.path.abspath(file)).relative_to(os.path.abspath(folder or os.curdir))  # noqa: PTH100
    except (ValueError, OSError):  # another drive, or a working folder that is gone
        return None
    return inside.as_posix()


def cause_of(finding: Finding) -> str:
    """From which other finding it follows, and what to do about it; "" if from none."""
    if finding.follows is None:
        return ""
    rule, file, line = finding.follows
    where = "" if file is None else f" at {relative(file) or file}:{line}"
    return f"{rule}{where}; fix that first"
