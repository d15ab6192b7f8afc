"""What no rank can see by itself: judge the notes of several ranks together."""

import dataclasses
from collections.abc import Callable, Iterable

from surefoot.facts import RanksFacts
from surefoot.judge import Judge
from surefoot.report.report import Report
from surefoot.rules import Rule


def judge_together(report: Report, rules: Iterable[Rule], on_failure: Callable[[str, Exception], None]) -> Report:
    """The report of all ranks that were joined, with what follows from their notes."""
    asked = [rule for rule in rules if RanksFacts in rule.on and rule.name not in report.not_checked]
    if not asked or len({note.rank for note in report.notes}) < 2:
        return report
    judge = Judge(asked, on_failure)
    judge.judge(RanksFacts(at=0, notes=tuple(report.notes)))
    failed = {**report.not_checked, **judge.not_checked}
    return dataclasses.replace(report, findings=[*report.findings, *judge.findings], not_checked=failed)
