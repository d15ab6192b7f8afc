"""`sf.check`: the same checks for a training with `sf.Loop`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surefoot.check.checks import REPEATED_STEPS, Checks, Options
from surefoot.check.judge import accumulate
from surefoot.check.launcher import launching
from surefoot.check.text import row, summary
from surefoot.check.verdict import NAMES, Verdict, as_json
from surefoot.launch.program import Program

DRIVE = "surefoot.check.drive"
NO_PARAMETERS = "Let make_loop take accumulate and batch_size, and hand them to the loop and the loader."
BY_DEFAULT = tuple(name for name in NAMES if name != "resume-is-equivalent")


@dataclass(frozen=True)
class Checked:
    """What was found out; `str()` is the table that `surefoot check` prints."""

    name: str
    verdicts: tuple[Verdict, ...]

    @property
    def ok(self) -> bool:
        """No check failed. What could not be tested is no failure."""
        return all(verdict.verdict != "fail" for verdict in self.verdicts)

    def __getitem__(self, name: str) -> Verdict:
        found = next((verdict for verdict in self.verdicts if verdict.name == name), None)
        if found is None:
            raise KeyError(f"{name!r} is none of the checks that were made: {', '.join(v.name for v in self.verdicts)}")
        return found

    def json(self) -> str:
        return as_json(self.name, self.verdicts)

    def __str__(self) -> str:
        return "".join(row(verdict) for verdict in self.verdicts) + summary(self.verdicts)


def check(
    make_loop: Callable[..., Any], *, only: Sequence[str] = BY_DEFAULT, steps: int = REPEATED_STEPS,
    timeout: float = 120.0,
) -> Checked:  # fmt: skip
    """Check a training before a long run.

    `make_loop` takes nothing and returns (loop, loader, loss_fn): an `sf.Loop`, what it trains on, and the loss as for
    `loop.fit`. It is a function of a module or of a script that trains only under `if __name__ == "__main__"`, because
    each experiment imports it in a process of its own. If it takes `accumulate` and `batch_size`, accumulation is
    checked, too. Resuming is not: a loop's checkpoints are made for that. `only` names some of the checks.
    """
    unknown = [name for name in only if name not in BY_DEFAULT]
    if unknown:
        raise ValueError(f"there is no check {unknown[0]!r} of loops. There are: {', '.join(BY_DEFAULT)}.")
    program = Program(DRIVE, (_target(make_loop),), is_module=True)
    takes = inspect.signature(make_loop).parameters
    can_accumulate = "accumulate" in takes and "batch_size" in takes
    options = Options(steps, "--accumulate", "--batch-size") if can_accumulate else Options(steps)
    with launching(timeout) as launcher:
        verdicts = tuple(Checks(program, launcher, options).run(only))
    if not can_accumulate:
        verdicts = tuple(replace(one, why=NO_PARAMETERS) if one.name == accumulate.NAME else one for one in verdicts)
    return Checked(make_loop.__qualname__, verdicts)


def _target(make_loop: Callable[..., Any]) -> str:
    """FILE:NAME, by which another process finds it."""
    name = getattr(make_loop, "__qualname__", "")
    file = inspect.getsourcefile(make_loop) if inspect.isfunction(make_loop) else None
    if file is None or "<" in name or not Path(file).is_file():
        got = name or type(make_loop).__name__
        raise TypeError(f"make_loop must be a function at the top of a module or script, got {got}. Move it there.")
    return f"{Path(file).absolute()}:{name}"
