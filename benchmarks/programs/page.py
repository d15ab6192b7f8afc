"""docs/overhead.md: what was measured, and how."""

import os
from collections.abc import Iterator, Sequence
from importlib import metadata

from benchmarks.programs.cost import FIXED_MARK, MEMORY_MARK, Cost, Figure, ratio_mark
from benchmarks.programs.measure import FULL, FULL_GROWTH
from benchmarks.programs.program import GROWTH, Program
from benchmarks.programs.results import Result
from benchmarks.turns import ROOT

PAGE = ROOT / "docs" / "overhead.md"
HEAD = f"""# What watching costs

Written by `make bench-programs`. Each row is a whole training program, run as it is by `python` and under
`surefoot run` with default settings: all rules, signals, and the run log.

A row is within its marks if

- one more step costs at most 1.10 times as much where a bare step takes 1 ms or less, and 1.02 times where it takes
  10 ms or more; between them the mark falls linearly with the logarithm of the step time (1.06 at 3.2 ms);
- a run costs at most {FIXED_MARK} s more, however short it is;
- peak memory grows by at most {MEMORY_MARK:.0f} MB.

What misses a mark is set in bold.
"""
PROGRAM_HEAD = """| program | bare step, ms | one more step | range | mark | a run, s | memory, MB | missed |
|---|---|---|---|---|---|---|---|"""
GROWTH_INTRO = """
## How the cost grows

What watching adds to a step of programs that grow in one dimension, and what each one more adds, from row to row and
from the first row to the last.
"""
GROWTH_NOUNS = {
    "optimizers": ("Optimizers", "A small layer each; all of them step, in turn, in what counts as one step here."),
    "tensors": ("Parameter tensors", "A chain of small layers under one optimizer."),
    "micro_batches": ("Micro-batches", "The backwards of one step."),
}
FOOT = """
## How it was measured

Each program runs in two lengths, bare and watched. The long run takes about {seconds:.0f} s of CPU time bare
({growth_seconds:.0f} s in the growth tables), the short one an eighth of it. Four such runs, in turns, make a round.
Every figure is the median over {rounds} rounds; ranges go from the least to the largest.

- *One more step*: (long watched - short watched) / (long bare - short bare).
- *A run*: short watched - short bare, less what watching adds to that many steps at the long-run rate. This is
  surefoot's start and end, and the first steps, which are watched more closely.
- *Memory*: peak resident memory of the long run, watched less bare.

Time is CPU time, user and system, of the whole process tree, so that surefoot's threads count. torch uses one thread.
The allocator keeps large freed blocks (`MALLOC_TRIM_THRESHOLD_`), bare and watched: its own decisions can change the
time of a step by more than is measured here. Bare and watched runs must print the same, including a checksum of the
final weights; a program that does not is listed as failed.

{machine}

The programs are in `benchmarks/programs/programs`. torch {torch}; surefoot's source has the digest {digest}.
"""


def page(programs: Sequence[tuple[Program, Result]], growth: Sequence[tuple[Program, Result]], digest: str) -> str:
    foot = FOOT.format(
        seconds=FULL.seconds, growth_seconds=FULL_GROWTH.seconds, rounds=_num_rounds([*programs, *growth]),
        torch=metadata.version("torch"), digest=digest, machine=_machine([*programs, *growth]),
    )  # fmt: skip
    return "\n".join([HEAD, *program_lines(programs), GROWTH_INTRO, *growth_lines(growth), foot])


def program_lines(programs: Sequence[tuple[Program, Result]]) -> Iterator[str]:
    """The table, from the shortest step to the longest, then what could not be measured."""
    measured = [(program, one) for program, result in programs if (one := result.cost)]
    measured.sort(key=lambda row: row[1].step_ms.median)
    within = sum(not one.misses for _, one in measured)
    rest = len(programs) - len(measured)
    yield f"{within} of {len(measured)} programs are within all marks{f'; not measured: {rest}' if rest else ''}.\n"
    yield PROGRAM_HEAD
    for program, one in measured:
        yield _program_row(program.name, one)
    for program, result in programs:
        if result.cost is None:
            yield f"| {program.name} | | | | | | | {_reason(result)} |"


def growth_lines(growth: Sequence[tuple[Program, Result]]) -> Iterator[str]:
    for family in GROWTH:
        rows = [(program, result) for program, result in growth if program.path.stem == family]
        title, about = GROWTH_NOUNS[family]
        yield f"### {title}\n\n{about}\n"
        yield "| number | bare step, µs | added, µs | range | each one more, µs | one more step | a run, s | |"
        yield "|---|---|---|---|---|---|---|---|"
        before: tuple[int, Cost] | None = None
        for program, result in rows:
            size, one = program.size or 0, result.cost
            if one is None:
                yield f"| {size:,} | | | | | | | {_reason(result)} |"
                continue
            yield _growth_row(size, one, before)
            before = size, one
        yield f"\n{_slope(rows)}\n"


def _num_rounds(rows: Sequence[tuple[Program, Result]]) -> str:
    numbers = {len(result.rounds) for _, result in rows if result.cost}
    return " or ".join(str(number) for number in sorted(numbers)) or "no"


def _machine(rows: Sequence[tuple[Program, Result]]) -> str:
    """What else it did meanwhile: CPU time, too, grows where others use the caches and the other half of a core."""
    rounds = [one for _, result in rows if result.cost for one in result.rounds]
    if not rounds:
        return "Nothing was measured so far."
    loads, cores = [one.load for one in rounds], sorted({one.num_cores for one in rounds})
    told = (
        f"When rounds began, the load average of the machine, which has {os.cpu_count()} cores, was {min(loads):.1f} "
        f"to {max(loads):.1f}; the runs were given {' or '.join(map(str, cores))} of them."
    )
    if num := sum(one.together for one in rounds):
        told += (
            f" In {num} of {len(rounds)} rounds the four runs went at the same time and shared what they were given, "
            "so that whatever else the machine did met all of them alike."
        )
    if max(loads) > (os.cpu_count() or 1):
        told += " Others worked on it: CPU time is longer then than on a quiet machine, and figures scatter."
    return told


def _program_row(name: str, one: Cost) -> str:
    misses = one.misses
    ratio = _bold(f"{one.ratio.median:.3f}", "step" in misses)
    fixed = _bold(f"{one.fixed_seconds.median:.2f}", "fixed cost" in misses)
    memory = _bold(f"{one.memory_mb.median:.0f}", "memory" in misses)
    mark = ratio_mark(one.step_ms.median)
    return (
        f"| {name} | {one.step_ms.median:.2f} | {ratio} | {_range(one.ratio, 3)} | {mark:.3f} "
        f"| {fixed} ({_range(one.fixed_seconds, 2)}) | {memory} | {', '.join(misses)} |"
    )


def _growth_row(size: int, one: Cost, before: tuple[int, Cost] | None) -> str:
    each = "" if before is None else f"{_each(before, (size, one)):,.2f}"
    return (
        f"| {size:,} | {1e3 * one.step_ms.median:,.0f} | {one.extra_us.median:,.0f} | {_range(one.extra_us, 0)} "
        f"| {each} | {one.ratio.median:.3f} | {one.fixed_seconds.median:.2f} | |"
    )


def _slope(rows: Sequence[tuple[Program, Result]]) -> str:
    measured = [(program.size or 0, one) for program, result in rows if (one := result.cost)]
    if len(measured) < 2:
        return "Too few rows for a slope."
    first, last = measured[0], measured[-1]
    return f"From {first[0]:,} to {last[0]:,}: {_each(first, last):,.2f} µs for each one more."


def _each(first: tuple[int, Cost], last: tuple[int, Cost]) -> float:
    return (last[1].extra_us.median - first[1].extra_us.median) / (last[0] - first[0])


def _range(figure: Figure, digits: int) -> str:
    return f"{figure.low:,.{digits}f} to {figure.high:,.{digits}f}"


def _reason(result: Result) -> str:
    """On one line of a table."""
    if result.failure is None:
        return "not measured"
    return "not measured: " + " ".join(result.failure.replace("|", "/").split())[:300]


def _bold(text: str, missed: bool) -> str:
    return f"**{text}**" if missed else text
