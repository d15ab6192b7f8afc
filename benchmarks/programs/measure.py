"""Measures one program: finds its two lengths, then takes rounds of four runs."""

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


def take_round(program: Program, lengths: Lengths, *, watched_first: bool) -> Round:
    """Two bare and two watched runs in turns; who goes first changes from round to round."""
    short_bare, short_watched = _pair(program, lengths.short, watched_first)
    long_bare, long_watched = _pair(program, lengths.long, not watched_first)
    return Round(
        short_bare.cpu_seconds, short_watched.cpu_seconds, long_bare.cpu_seconds, long_watched.cpu_seconds,
        long_bare.peak_mb, long_watched.peak_mb,
    )  # fmt: skip


def _pair(program: Program, steps: int, watched_first: bool) -> tuple[Usage, Usage]:
    first, second = (_run(program, steps, watched=way) for way in (watched_first, not watched_first))
    bare, watched = (second, first) if watched_first else (first, second)
    if watched.stdout != bare.stdout:
        raise RunError(f"prints something else when it is watched: {bare.stdout[-200:]!r}, {watched.stdout[-200:]!r}")
    return bare, watched


def _run(program: Program, steps: int, *, watched: bool = False) -> Usage:
    try:
        return run(program.command(steps, watched=watched), LIMIT, WATCHED_STATUS if watched else BARE_STATUS)
    except RunError as error:
        raise RunError(f"{steps} steps, {'watched' if watched else 'bare'}: {error}") from None


def _round(steps: float) -> int:
    """To two digits, so that lengths can be read."""
    return int(float(f"{steps:.1e}"))
