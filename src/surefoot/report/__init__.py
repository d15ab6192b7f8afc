"""What a run found, told to people and to machines."""

from surefoot.report.formats import FORMATS, render
from surefoot.report.report import Process, Report, add_up, merge
from surefoot.report.together import judge_together

__all__ = ["FORMATS", "Process", "Report", "add_up", "judge_together", "merge", "render"]
