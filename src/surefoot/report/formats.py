"""The output formats by name."""

from surefoot.report.report import Report

FORMATS = ("text", "json", "github", "sarif", "agent")


def render(report: Report, form: str) -> str:
    """The report in a format for machines that needs nothing else; text and agent tell more than the report."""
    if form == "json":
        return report.as_json()
    if form == "github":
        from surefoot.report.github import as_github

        return as_github(report)
    from surefoot.report.sarif import as_sarif

    assert form == "sarif", form
    return as_sarif(report)
