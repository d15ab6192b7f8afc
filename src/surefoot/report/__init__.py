"""What a run found, told to people and to machines."""

from surefoot.report.formats import FORMATS, render
from surefoot.report.report import Report, merge
from surefoot.report.together import judge_together

__all__ = ["FORMATS", "Report", "judge_together", "merge", "render"]
