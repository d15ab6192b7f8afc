"""Measures one program: finds its two lengths, then takes rounds of four runs."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from benchmarks.programs.cost import Round
from benchmarks.programs.process import RunError, Usage, run
from benchmarks.programs.program import Program

BARE_STATUS = frozenset({0})
WATCHED_STATUS = frozenset({0, 1})  # 1: surefoot found something, which is not asked here
LIMIT = 240  # CPU seconds after which a run is given up


@dataclass(frozen=True, slots=True)
class Effort:
    """How long and how often programs run."""

    seconds: float  # of CPU that the steps of a long run take, bare
    rounds: int
    least_short: int  # steps: what surefoot does at the start of a run is to be within the short one
    least_long: int


FULL, FULL_GROWTH = Effort(8.0, 5, 64, 256), Effort(4.0, 3, 24, 72)
QUICK, QUICK_GROWTH = Effort(2.0, 2, 32, 96), Effort(1.0, 1, 8, 24)


@dataclass(frozen=True, slots=True)
class Lengths:
    short: int
    long: int


def find_lengths(program: Program, effort: Effort) -> Lengths:
    """Bare runs that grow until their steps stand out from what starting and importing costs, which varies."""
    start = _run(program, 2).cpu_seconds
    steps = 32
    while (spent := _run(program, steps).cpu_seconds - start) < max(effort.seconds / 4, start / 2):
        steps *= 4
    return lengths(spent / steps, effort)


def lengths(step_seconds: float, effort: Effort) -> Lengths:
    """The long run takes the seconds asked for; the short one an eighth of it."""
    long = max(effort.least_long, _round(effort.seconds / step_seconds))
    return Lengths(max(effort.least_short, long // 8), long)


def take_round(program: Program, lengths: Lengths, *, watched_first: bool, together: bool = False) -> Round:
    """Two bare and two watched runs in turns; who goes first changes from round to round.

    `together` they start at the same time and share what cores there are: whatever else a busy machine does meets all
    of them alike, so that their differences can be trusted where none of their times can.
    """
    load = os.getloadavg()[0]
    ways = [(lengths.short, watched_first), (lengths.short, not watched_first)]
    ways += [(lengths.long, not watched_first), (lengths.long, watched_first)]
    if together:
        with ThreadPoolExecutor(len(ways)) as pool:
            used = dict(zip(ways, pool.map(lambda way: _run(program, way[0], watched=way[1]), ways), strict=True))
    else:
        used = {(steps, watched): _run(program, steps, watched=watched) for steps, watched in ways}
    bare, watched = ([used[steps, way] for steps in (lengths.short, lengths.long)] for way in (False, True))
    for one, other in zip(bare, watched, strict=True):
        if one.stdout != other.stdout:
            raise RunError(f"prints something else when watched: {one.stdout[-200:]!r}, {other.stdout[-200:]!r}")
    return Round(
        bare[0].cpu_seconds, watched[0].cpu_seconds, bare[1].cpu_seconds, watched[1].cpu_seconds,
        bare[1].peak_mb, watched[1].peak_mb, load, len(os.sched_getaffinity(0)), together,
    )  # fmt: skip


def _run(program: Program, steps: int, *, watched: bool = False) -> Usage:
    try:
        return run(program.command(steps, watched=watched), LIMIT, WATCHED_STATUS if watched else BARE_STATUS)
    except RunError as error:
        raise RunError(f"{steps} steps, {'watched' if watched else 'bare'}: {error}") from None


def _round(steps: float) -> int:
    """To two digits, so that lengths can be read."""
    return int(float(f"{steps:.1e}"))
