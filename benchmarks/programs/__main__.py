"""What `surefoot run` costs ordinary training programs: whole runs, default settings, CPU time.

    python -m benchmarks.programs                        # everything; about two hours, then docs/overhead.md is written
    python -m benchmarks.programs --quick                # a rough look at everything, in half an hour; no page
    python -m benchmarks.programs --only mlp,gan         # two rows; kept, so that the page can be made in parts
    python -m benchmarks.programs --only tensors         # one table of growth; tensors-1000 is one row of it
    python -m benchmarks.programs --rounds 9             # more rounds: those that are kept count
    python -m benchmarks.programs --only gan --again     # forget what is kept of it
    taskset -c 1 python -m benchmarks.programs --together     # on a busy machine: the four runs share one core
    python -m benchmarks.programs --page                 # only write the page, of what is kept

Every round is kept in results/programs as soon as it is done. Ctrl-C stops; the same command goes on from there. When
surefoot's source changes, results start anew in another file.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from benchmarks.programs.cost import cost
from benchmarks.programs.measure import FULL, FULL_GROWTH, QUICK, QUICK_GROWTH, Effort, find_lengths, take_round
from benchmarks.programs.page import PAGE, growth_lines, page, program_lines
from benchmarks.programs.process import RunError
from benchmarks.programs.program import GROWTH, Program, growth, programs
from benchmarks.programs.results import Result, Results, open_results, source_digest


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        chosen = choose(options.only)
    except ValueError as error:
        parser.error(str(error))
    if options.rounds is not None and options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    results = open_results(quick=options.quick)
    if not options.page:
        print(f"results are kept in {results.path}")
        _warn_if_busy()
        try:
            _measure_all(chosen, results, options)
        except KeyboardInterrupt:
            print("\nstopped; finished rounds are kept, and the same command goes on from there", file=sys.stderr)
            return 130
    _show(chosen, results)
    if not options.quick:
        _write_page(results, unfinished=options.page)
    return 0


def choose(only: str) -> list[Program]:
    """The programs of a comma-separated list; all if it is empty."""
    everything = [*programs(), *growth()]
    names = [name.strip() for name in only.split(",") if name.strip()]
    known = {program.name for program in everything} | set(GROWTH)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such program: {', '.join(unknown)}. There are {', '.join(sorted(known))}")
    if not names:
        return everything
    return [one for one in everything if one.name in names or (one.is_growth and one.path.stem in names)]


def measure(program: Program, results: Results, effort: Effort, *, together: bool = False) -> None:
    """Take the rounds that are missing; each is kept at once."""
    result = results.of(program)
    try:
        if obstacle := program.obstacle():
            raise RunError(obstacle)
        result.failure = None
        if result.lengths is None:
            print(f"{program.name}: how long does a step take?", flush=True)
            result.lengths = find_lengths(program, effort)
        short, long = result.lengths.short, result.lengths.long
        print(f"{program.name}: {short:,} and {long:,} steps", flush=True)
        while len(result.rounds) < effort.rounds:
            is_odd = len(result.rounds) % 2 == 1
            result.rounds.append(take_round(program, result.lengths, watched_first=is_odd, together=together))
            results.keep(program, result)
            _tell_round(result, short, long, effort)
    except RunError as error:
        result.failure = str(error)
        print(f"{program.name}: {error}", flush=True)
    results.keep(program, result)


def _measure_all(chosen: Sequence[Program], results: Results, options: argparse.Namespace) -> None:
    ordinary, growing = (QUICK, QUICK_GROWTH) if options.quick else (FULL, FULL_GROWTH)
    for number, program in enumerate(chosen, 1):
        usual = growing if program.is_growth else ordinary
        effort = Effort(usual.seconds, options.rounds or usual.rounds, usual.least_short, usual.least_long)
        if options.again:
            results.keep(program, Result(program.digest))
        print(f"[{number}/{len(chosen)}] ", end="")
        measure(program, results, effort, together=options.together)


def _warn_if_busy() -> None:
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > cores / 2:
        print(f"the machine is busy (load {load:.1f} on {cores} cores): what is measured now will vary widely")


def _tell_round(result: Result, short: int, long: int, effort: Effort) -> None:
    one = cost(result.rounds[-1:], short, long)
    print(
        f"    round {len(result.rounds)}/{effort.rounds}: "
        f"{one.step_ms.median:.3f} ms a step, x {one.ratio.median:.3f}; "
        f"a run {one.fixed_seconds.median:+.2f} s; memory {one.memory_mb.median:+.0f} MB",
        flush=True,
    )


def _show(chosen: Sequence[Program], results: Results) -> None:
    ordinary = [(one, results.of(one)) for one in chosen if not one.is_growth]
    growing = [(one, results.of(one)) for one in chosen if one.is_growth]
    print()
    if ordinary:
        print("\n".join(program_lines(ordinary)))
    if growing:
        print("\n".join(growth_lines(growing)))


def _write_page(results: Results, *, unfinished: bool) -> None:
    ordinary, growing = ([(one, results.of(one)) for one in kind] for kind in (programs(), growth()))
    missing = [one.name for one, result in [*ordinary, *growing] if not result.rounds and result.failure is None]
    if missing and not unfinished:
        print(f"{PAGE.name} is written when these are measured, too: {', '.join(missing)}")
        return
    PAGE.write_text(page(ordinary, growing, source_digest()))
    print(f"wrote {PAGE}")


def _parser() -> argparse.ArgumentParser:
    summary, examples = (__doc__ or "").split("\n\n", 1)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.programs", description=summary, epilog="examples:\n" + examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--only", default="", metavar="NAMES", help="comma-separated programs or tables of growth")
    usual = f"default: {FULL.rounds}, growth {FULL_GROWTH.rounds}"
    parser.add_argument("--rounds", type=int, metavar="N", help=f"rounds in all ({usual})")
    parser.add_argument("--quick", action="store_true", help="short runs, few rounds: rough figures, kept apart")
    parser.add_argument("--again", action="store_true", help="measure anew what is kept")
    parser.add_argument("--together", action="store_true", help="the runs of a round at a time: for a busy machine")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page of what is kept")
    return parser


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # shells let what they start in the background ignore Ctrl-C
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
