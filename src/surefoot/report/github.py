"""Annotations of GitHub's workflow commands: `::error file=…,line=…,title=…::message`."""

from surefoot.judge import Finding
from surefoot.report.place import cause_of, relative
from surefoot.report.report import Report

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def as_github(report: Report) -> str:
    return "".join(f"{_annotation(finding)}\n" for finding in report.worst_first)


def _annotation(finding: Finding) -> str:
    properties = {"title": f"surefoot: {finding.rule}"}
    if finding.file is not None:
        properties = {"file": relative(finding.file) or finding.file, "line": str(finding.line), **properties}
    head = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    cause = f"\nFollows from: {cause}" if (cause := cause_of(finding)) else ""
    text = f"{finding.message}.{cause}\nWhy: {finding.why}\nFix: {finding.fix}"
    return f"::{_COMMANDS[finding.severity]} {head}::{_escape(text)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
