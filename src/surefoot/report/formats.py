"""The output formats by name."""

from surefoot.report.github import as_github
from surefoot.report.report import Report
from surefoot.report.sarif import as_sarif

FORMATS = ("text", "json", "github", "sarif")


def render(report: Report, form: str) -> str:
    """The report in a format for machines."""
    if form == "json":
        return report.as_json()
    if form == "github":
        return as_github(report)
    assert form == "sarif", form
    return as_sarif(report)
