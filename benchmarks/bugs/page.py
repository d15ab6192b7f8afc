"""The page of results, from the verdicts of one run. No figure on it is written by hand."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from benchmarks.bugs.verdict import Verdict


class Judged(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def verdicts(self) -> tuple[Verdict, ...]: ...


_HEAD = """\
# The bug corpus

Written by `make bench-bugs`: small training programs in the styles people write, each with a known bug and a clean twin
(`benchmarks/bugs/programs/`). They were written from the rules' one-line descriptions, not from their code. Each
program runs in a process of its own, alone and under each tool.

surefoot was mended wherever this corpus showed it wrong, the other tools were not: read its row as a test that it has
to pass, not as an estimate for programs it has never seen.

*Found*: the tool named the bug. *Line*: it named a line that a reader would call guilty. *Alarms on clean*: clean
programs on which it said anything above a note (hints of torch-audit about speed and style are left out). *Other
alarms*: remarks on buggy programs that name neither the bug nor a consequence of it. *Changed*: programs whose exit
status, output or final weights (a digest that each prints) differ from a run without the tool.

Peers are driven from outside as their documentation says (`benchmarks/bugs/tools/peer_driver.py`); what counts as
naming a bug is read generously (`MEANING` in `benchmarks/bugs/tools/peers.py`). guardtower and torchtest2 check the
first batch only, by design.
"""


def page(tools: Sequence[Judged]) -> str:
    own = tools[0]
    parts = [_HEAD, "## All tools\n", *summary(tools), "", "## surefoot, rule by rule\n", *_by_rule(own, tools[1:])]
    if failures := list(_failures(own)):
        parts += ["", "## What surefoot got wrong\n", *failures]
    return "\n".join(parts) + "\n"


def summary(tools: Iterable[Judged]) -> Iterable[str]:
    yield "| tool | buggy | found | line | clean | alarms on clean | other alarms | changed | could not run |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for tool in tools:
        name = f"{tool.name} {tool.version}".strip()
        if not tool.verdicts:
            yield f"| {name} | not installed | | | | | | | |"
            continue
        buggy = [v for v in tool.verdicts if v.program.is_buggy]
        clean = [v for v in tool.verdicts if not v.program.is_buggy]
        cells = [
            len(buggy),
            share(sum(v.found for v in buggy), len(buggy)),
            share(sum(v.right_line for v in buggy), len(buggy)),
            len(clean),
            sum(bool(v.false_alarms) for v in clean),
            sum(len(v.false_alarms) for v in buggy),
            sum(v.changed for v in tool.verdicts) if tool.name == "surefoot" else "",
            sum(bool(v.trouble) for v in tool.verdicts),
        ]
        yield f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |"


def _by_rule(own: Judged, others: Sequence[Judged]) -> Iterable[str]:
    others = [tool for tool in others if tool.verdicts]
    names = " | ".join(tool.name for tool in others)
    yield f"| rule | buggy | found | line | clean | alarms | changed | {names} |"
    yield "|---|---|---|---|---|---|---|" + "---|" * len(others)
    for rule in sorted({v.program.rule for v in own.verdicts}):
        mine = [v for v in own.verdicts if v.program.rule == rule]
        buggy = [v for v in mine if v.program.is_buggy]
        cells = [
            len(buggy),
            sum(v.found for v in buggy),
            sum(v.right_line for v in buggy),
            len(mine) - len(buggy),
            sum(len(v.false_alarms) for v in mine),
            sum(v.changed for v in mine),
            *[sum(v.found for v in tool.verdicts if v.program.rule == rule) for tool in others],
        ]
        yield f"| {rule} | " + " | ".join(str(cell) for cell in cells) + " |"


def _failures(own: Judged) -> Iterable[str]:
    for verdict in own.verdicts:
        name = verdict.program.name
        if verdict.trouble:
            yield f"- `{name}`: {verdict.trouble}"
        elif verdict.changed:
            yield f"- `{name}`: its output changed"
        if verdict.program.is_buggy and not verdict.found:
            yield f"- `{name}`: missed"
        elif verdict.program.is_buggy and not verdict.right_line:
            said = ", ".join(str(remark.line) for remark in verdict.hits)
            yield f"- `{name}`: named line {said}"
        for alarm in verdict.false_alarms:
            yield f"- `{name}`: false alarm, {alarm.label}"


def share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "0"
