"""Verdicts as a table for people."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from surefoot.check.verdict import NAMES, Verdict

WIDTH = 110
COLOURS = {"pass": "32", "fail": "31", "not-tested": "2"}


def row(verdict: Verdict, *, colour: bool = False, width: int = WIDTH) -> str:
    """Name, verdict and time; below it what was seen."""
    answer = f"{verdict.verdict:<10}"
    if colour:
        answer = f"\x1b[{COLOURS[verdict.verdict]}m{answer}\x1b[0m"
    head = f"{verdict.name:<{max(map(len, NAMES))}}  {answer}  {verdict.seconds:6.1f} s"
    return head + "\n" + textwrap.fill(verdict.why, width, initial_indent="    ", subsequent_indent="    ") + "\n"


def summary(verdicts: Sequence[Verdict]) -> str:
    counts = {answer: sum(one.verdict == answer for one in verdicts) for answer in COLOURS}
    seconds = sum(one.seconds for one in verdicts)
    return f"{counts['pass']} passed, {counts['fail']} failed, {counts['not-tested']} not tested, in {seconds:.0f} s."
