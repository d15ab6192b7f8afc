"""What a run found, told to people and to machines."""

from surefoot.report.formats import FORMATS, render
from surefoot.report.report import Report, merge

__all__ = ["FORMATS", "Report", "merge", "render"]
