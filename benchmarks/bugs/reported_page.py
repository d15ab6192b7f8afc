"""The page about bugs that people reported: recall by kind, what is missed and why. No figure is written by hand."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from benchmarks.bugs.page import Judged, share, summary
from benchmarks.bugs.program import REPORTED
from benchmarks.bugs.verdict import Verdict

_HEAD = """\
# Bugs that people reported

Written by `make bench-reported`. Each program in `benchmarks/bugs/reported/` rebuilds one silent training bug from a
public issue or pull request, small enough for a CPU, and has a twin with the bug fixed. All code is ours.
[The README there](../benchmarks/bugs/reported/README.md) tells the format, so that other tools can be run on it too.

The programs were written from the reports before their author looked at the rules' code, but for seventeen of the
first round that were added later by two who knew some of it. The first run on each is kept (`blind.json` to
`blind-5.json` in that folder). *Blind* counts these runs: it estimates what surefoot finds in a program it has never
seen. *Found* and *line* count the rules as they are now, mended where these programs showed them wrong; read them as a
test that has to pass. After the first run a few marks were widened by lines and names that a reader would accept too;
*blind* is counted with the first marks.

This page is not of one whole run yet: the programs were all run once, blind; after the mends only the bugs that they
were made for and some fixed twins were run again. Of all others, *found*, *line* and alarms are those of the blind run.
"""

_ROUNDS = ("blind.json", "blind-2.json", "blind-3.json", "blind-4.json", "blind-5.json")

FirstRuns = Mapping[str, Mapping[str, object]]


def page(tools: Sequence[Judged]) -> str:
    own = tools[0]
    rounds = [json.loads((REPORTED / name).read_text()) for name in _ROUNDS]
    blind = {name: first for runs in rounds for name, first in runs.items()}
    parts = [
        _HEAD,
        "## All tools\n",
        *summary(tools),
        "",
        "## First runs, round by round\n",
        *_by_round(own, rounds),
        "",
        "## surefoot by kind of bug\n",
        *_by_kind(own, blind),
        "",
        "## What is missed, and why\n",
        *_missed(own),
    ]
    if alarms := list(_alarms(own)):
        parts += ["", "## False alarms\n", *alarms]
    return "\n".join([*parts, "", "## The reports\n", *_sources(own)]) + "\n"


def _by_round(own: Judged, rounds: Sequence[FirstRuns]) -> Iterable[str]:
    """Each round was written for rules that had been mended with the programs of the rounds before it."""
    yield "| round | bugs | blind: found | line | alarms on fixed twins | of them without a rule that could know |"
    yield "|---|---|---|---|---|---|"
    gaps = {v.program.name for v in own.verdicts if v.program.gap}
    for number, runs in enumerate(rounds, start=1):
        buggy = {name: first for name, first in runs.items() if name.endswith("_bad")}
        twins = [first for name, first in runs.items() if name.endswith("_good")]
        cells = [
            len(buggy),
            share(sum(bool(first["found"]) for first in buggy.values()), len(buggy)),
            share(sum(bool(first["right_line"]) for first in buggy.values()), len(buggy)),
            sum(bool(first["said"]) for first in twins) if twins else "not kept",
            len(gaps & buggy.keys()),
        ]
        yield f"| {number} | " + " | ".join(str(cell) for cell in cells) + " |"


def _by_kind(own: Judged, blind: FirstRuns) -> Iterable[str]:
    yield "| kind | bugs | blind: found | line | found | line | alarms on fixed twins |"
    yield "|---|---|---|---|---|---|---|"
    verdicts = sorted(own.verdicts, key=lambda v: v.program.kind)
    for kind, group in groupby(verdicts, key=lambda v: v.program.kind):
        yield _row(kind, list(group), blind)
    yield _row("**all**", verdicts, blind)


def _row(kind: str, verdicts: Sequence[Verdict], blind: FirstRuns) -> str:
    buggy = [v for v in verdicts if v.program.is_buggy]
    first = [blind[v.program.name] for v in buggy if v.program.name in blind]
    cells = [
        len(buggy),
        share(sum(bool(b["found"]) for b in first), len(first)),
        sum(bool(b["right_line"]) for b in first),
        share(sum(v.found for v in buggy), len(buggy)),
        sum(v.right_line for v in buggy),
        sum(bool(v.false_alarms) for v in verdicts if not v.program.is_buggy),
    ]
    return f"| {kind} | " + " | ".join(str(cell) for cell in cells) + " |"


def _missed(own: Judged) -> Iterable[str]:
    for verdict in own.verdicts:
        program = verdict.program
        if program.is_buggy and not verdict.found:
            why = program.gap or f"a rule is meant for it ({', '.join(sorted(program.names))}) and says nothing"
            yield f"- `{program.name}` ([report]({program.source})): {why}"
        elif program.is_buggy and not verdict.right_line:
            lines = ", ".join(str(remark.line) for remark in verdict.hits)
            yield f"- `{program.name}`: found, but at line {lines}"


def _alarms(own: Judged) -> Iterable[str]:
    for verdict in own.verdicts:
        for alarm in verdict.false_alarms:
            yield f"- `{verdict.program.name}`: {alarm.label}, line {alarm.line}"


def _sources(own: Judged) -> Iterable[str]:
    yield "| program | report | what was changed |"
    yield "|---|---|---|"
    for verdict in own.verdicts:
        program = verdict.program
        if program.is_buggy:
            name = program.name.removesuffix("_bad")
            report = program.source.removeprefix("https://github.com/")
            yield f"| `{name}` | [{report}]({program.source}) | {program.changed} |"
