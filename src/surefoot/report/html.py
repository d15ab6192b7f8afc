"""The report in a notebook: one small table, without scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from surefoot.judge import Finding
from surefoot.report.place import relative
from surefoot.report.text import code_frame, summary

if TYPE_CHECKING:
    from surefoot.report.report import Report

MOST = 20  # findings; a report of more is read elsewhere
_COLOURS = {"error": "#c62828", "warning": "#b26a00", "note": "#00697a"}
_CODE = "margin:4px 0;padding:4px 8px;background:rgba(128,128,128,.12);overflow-x:auto"


def report_as_html(report: Report) -> str:
    worst = report.worst_first
    more = len(worst) - MOST
    rest = f"<p>{more} more: print(report) shows them all.</p>" if more > 0 else ""
    end = escape(summary(report).removeprefix("surefoot: "))
    return f'<div style="max-width:60em">{"".join(map(finding_as_html, worst[:MOST]))}{rest}<p>{end}</p></div>'


def finding_as_html(finding: Finding) -> str:
    """Where, what, how often, and what to do about it."""
    colour = _COLOURS[finding.severity]
    often = f"{finding.count} times, first at step {finding.step}" if finding.count > 1 else f"step {finding.step}"
    where, code = "no line of the program", ""
    if finding.file is not None:
        where = f"{relative(finding.file) or finding.file}, line {finding.line}"
        lines = "\n".join(code_frame(finding.file, finding.line or 0))
        code = f'<pre style="{_CODE}">{escape(lines)}</pre>' if lines else ""
    return (
        f'<div style="border-left:4px solid {colour};padding:2px 10px;margin:8px 0">'
        f'<b style="color:{colour}">{finding.severity}: {escape(finding.rule)}</b> '
        f"<span>{escape(where)}; {often}</span><br>{escape(finding.message)}{code}"
        f"<b>Fix:</b> {escape(finding.fix)}</div>"
    )
