"""Where two programs part that should compute the same: the first step, then the first operation in it.

Each program runs twice. The first time every step leaves digests of its weights and its batch; the second time it runs
at full speed up to the first step that differs, and all operations of that step are written down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from surefoot.check.experiment import Experiment, Kind, Result
from surefoot.check.judge.equal import MEANING, Operation, first_difference, first_operation
from surefoot.check.launcher import launching
from surefoot.launch.program import Program


class CannotBisectError(Exception):
    """One line: why."""


@dataclass(frozen=True)
class Rerun:
    """A program as it was run before, and where."""

    name: str  # of the run
    program: Program
    cwd: Path


@dataclass(frozen=True)
class Parting:
    """`step` is None if the reruns agree in all `steps`."""

    steps: int
    step: int | None = None
    what: str = ""
    losses: tuple[float | None, float | None] = (None, None)
    operations: tuple[Operation, Operation] | None = None  # the first that differs, of each


def bisect(one: Rerun, other: Rerun, steps: int, timeout: float, begins: Callable[[str], None]) -> Parting:
    begins(f"rerunning both for {steps} steps, with digests of each")
    first, second = (_run(each, "course", steps, timeout) for each in (one, other))
    num = min(len(first.steps), len(second.steps))
    found = first_difference(first.steps, second.steps)
    if found is None:
        return Parting(num)
    step, what = found
    begins(f"rerunning both up to step {step}, with every operation of it")
    traces = [_run(each, "operations", step, timeout, skipped=step - 1) for each in (one, other)]
    losses = (first.steps[step - 1].loss, second.steps[step - 1].loss)
    return Parting(num, step, MEANING.get(what, what), losses, first_operation(*traces))


def _run(rerun: Rerun, kind: Kind, steps: int, timeout: float, *, skipped: int = 0) -> Result:
    program = rerun.program
    wanted = Experiment(kind, steps, program.name, program.args, program.is_module, skipped=skipped)
    with launching(timeout, rerun.cwd) as launcher:
        result = launcher.run(wanted)
    if not result.steps:
        why = result.error or {"timeout": f"nothing within {timeout:g} s"}.get(result.ended, "no optimizer stepped")
        raise CannotBisectError(f"run {rerun.name} can't be repeated: {why}.")
    return result
