"""docs/verdict.md: what is said about the end of a loss, and how often it was right."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.verdict.catalogue import STATING, TUNING
from benchmarks.verdict.score import Case, median_further, tally
from surefoot.report.convergence.calibration import AT_REST, FURTHER, was_right

PAGE = Path(__file__).parents[2] / "docs" / "verdict.md"

_KINDS = {
    "falling": "still falling",
    "resting": "no fall in the last N steps, at a constant learning rate",
    "slowing": "it fell only a little in the second half",
    "scheduled": "no fall …; the learning rate went from … to …",
    "stuck": "it ended near where it began",
    "unclear": "not clear whether it still falls",
    "swinging": "it swings",
    "rising": "it rose in the second half",
    "diverged": "it diverged",
}

TEXT = Path(__file__).with_name("page.md")


def page(judged: list[Case]) -> str:
    tuned, stated = [case for case in judged if case.tunes], [case for case in judged if not case.tunes]
    before, now = tally(tuned), tally(stated)
    return TEXT.read_text().format(
        num_tuning=len(TUNING),
        num_stating=len(STATING),
        num_stated=len(stated),
        num_resting=now["resting"][1],
        num_resting_trainings=len({case.name for case in stated if case.verdict.kind == "resting"}),
        further=_percent(FURTHER),
        at_rest=_percent(AT_REST),
        tuned_falling=_of(before["falling"]),
        tuned_resting=_of(before["resting"]),
        stated_falling=_of(now["falling"]),
        stated_resting=_of(now["resting"]),
        wrong=_wrong(stated),
        rows="\n".join(_row(kind, stated) for kind in _KINDS if any(c.verdict.kind == kind for c in stated)),
    )


def _row(kind: str, stated: list[Case]) -> str:
    several = [case for case in stated if case.verdict.kind == kind]
    num_more = sum(case.further >= AT_REST for case in several)
    return f"| {_KINDS[kind]} | {len(several)} | {_percent(median_further(several))} | {num_more} |"


def _wrong(stated: Iterable[Case]) -> str:
    found = [
        f"{case.name} after {case.num_steps} steps ({_percent(case.further)})"
        for case in stated
        if case.verdict.kind in ("falling", "resting") and not was_right(case.verdict.kind, case.further)
    ]
    return f"Wrong, with what the loss fell further: {'; '.join(found)}." if found else "None was wrong."


def _of(counted: tuple[int, int]) -> str:
    return f"{counted[0]} of {counted[1]}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
