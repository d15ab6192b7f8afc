"""All checks of a program, one after the other; experiments that several of them need are made once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from surefoot.check.child import GRADIENTS
from surefoot.check.experiment import Experiment, Kind, Result
from surefoot.check.judge import accumulate, equal, first_loss, needs, overfit, resume, wiring
from surefoot.check.judge.reasons import nothing_seen
from surefoot.check.launcher import Launcher
from surefoot.check.verdict import Verdict, not_tested
from surefoot.launch.program import Program

WATCHED_STEPS = 30
TRACED_STEPS = 3
REPEATED_STEPS = 250
TRAINED_STEPS, LOOKED_STEPS = 150, 108  # of needs-its-input
PATIENT = 3  # times as many, where the first run shows that it learns its batches and leaves open what from
FEW, MANY = 18, 70  # batches that it knows: ten of them are kept back
BY_HAND = 0.6  # of the steps that a program takes, if it cuts its batches by hand, before inputs are changed
RESUMED_STEPS = 30
MOST_STEPS_TO_SAVE = 400
ACCUMULATE, BATCH = 4, 8
SEED = 0


@dataclass(frozen=True)
class Options:
    steps: int = REPEATED_STEPS
    accumulate_option: str | None = None
    batch_option: str | None = None
    resume_with: tuple[str, ...] = ()


class Checks:
    def __init__(self, program: Program, launcher: Launcher, options: Options) -> None:
        self._program = program
        self._launcher = launcher
        self._options = options

    def run(self, names: Sequence[str], begins: Callable[[str], None] = lambda name: None) -> Iterator[Verdict]:
        """Verdicts as they come; `begins` is told which check comes next."""
        checks = {
            overfit.NAME: self._overfits,
            needs.NAME: self._needs,
            wiring.SAMPLES: lambda: wiring.samples(self._watched, self._timeout),
            wiring.FUTURE: lambda: wiring.future(self._watched, self._timeout),
            first_loss.NAME: lambda: first_loss.judge(self._watched, self._timeout),
            equal.NAME: self._equal,
            wiring.MODES: lambda: wiring.modes(self._watched, self._timeout),
            accumulate.NAME: self._accumulates,
            resume.NAME: self._resumes,
        }
        for name in names:
            begins(name)
            begun = time.monotonic()
            verdict = checks[name]()
            yield replace(verdict, seconds=time.monotonic() - begun)

    @property
    def trouble(self) -> str | None:
        """What befell the program as it is, beside all checks; known once one of them has run it."""
        watched: Result | None = vars(self).get("_as_it_is")
        if watched is None or watched.ended != "raised" or not watched.steps:
            return None
        return f"the script raised {watched.error} after {len(watched.steps)} steps; checks are about those."

    @property
    def nothing_tested(self) -> str | None:
        """Why all of it tells nothing: the program as it is took no step."""
        watched: Result | None = vars(self).get("_as_it_is")
        return None if watched is None else nothing_seen(watched, self._timeout)

    @property
    def _timeout(self) -> float:
        return self._launcher.timeout

    def _experiment(self, kind: Kind, steps: int, args: tuple[str, ...] | None = None) -> Experiment:
        program = self._program
        return Experiment(kind, steps, program.name, program.args if args is None else args, program.is_module)

    @cached_property
    def _as_it_is(self) -> Result:
        return self._launcher.run(replace(self._experiment("watch", WATCHED_STEPS), is_shared=True))

    @cached_property
    def _watched(self) -> Result:
        """A program that ends before the step that is looked at closely runs once more, to that step."""
        result = self._as_it_is
        if result.trained and not result.measured and result.ended in ("finished", "raised"):
            return self._launcher.run(replace(self._experiment("watch", len(result.steps)), is_shared=True))
        return result

    @cached_property
    def _repeated(self) -> Result:
        wanted = self._experiment("repeat", self._options.steps)
        return self._launcher.run(replace(wanted, by_hand=not self._watched.uses_loader, is_shared=True))

    def _overfits(self) -> Verdict:
        if not self._watched.trained:
            return overfit.judge(self._watched, self._watched, self._timeout)
        found = overfit.by_rules(self._watched) or overfit.judge(self._repeated, self._watched, self._timeout)
        if self._watched.uses_loader and overfit.is_at_rest(found, self._repeated):
            one_batch = self._changed(len(self._repeated.steps), kept=1)
            found = overfit.with_other_inputs(found, self._launcher.run(one_batch))
        return found

    def _needs(self) -> Verdict:
        if not self._watched.trained:
            return needs.judge(self._watched, self._watched, self._timeout)
        verdict = needs.judge(self._launcher.run(self._changed(TRAINED_STEPS, FEW)), self._watched, self._timeout)
        if needs.is_too_early(verdict) and self._watched.uses_loader:
            more = self._launcher.run(self._changed(PATIENT * TRAINED_STEPS, FEW))
            verdict = needs.judge(more, self._watched, self._timeout)
        if verdict.verdict == "fail" and "seen" in verdict.evidence:
            known = overfit.by_rules(self._watched)
            if known is not None:
                return needs.left_open(verdict, known)
            longer = self._launcher.run(self._changed(2 * TRAINED_STEPS, MANY))
            return needs.confirmed(verdict, needs.judge(longer, self._watched, self._timeout))
        return verdict

    def _changed(self, train: int, kept: int) -> Experiment:
        by_hand = not self._watched.uses_loader
        steps = train + LOOKED_STEPS
        if by_hand and self._repeated.ended == "finished" and len(self._repeated.steps) < steps:
            train, steps = int(BY_HAND * len(self._repeated.steps)), len(self._repeated.steps)
        wanted = self._experiment("inputs", steps)
        return replace(wanted, train_steps=train, by_hand=by_hand, kept=kept, is_shared=True)

    def _equal(self) -> Verdict:
        if not self._watched.trained:
            return not_tested(equal.NAME, overfit.judge(self._watched, self._watched, self._timeout).why)
        why = equal.why_not(self._watched)
        if why is not None:
            return not_tested(equal.NAME, why)
        again = self._launcher.run(self._experiment("rerun", WATCHED_STEPS))
        if equal.first_difference(self._watched.steps, again.steps) is None:
            return equal.judge(self._watched, again, None)
        third = self._launcher.run(self._experiment("rerun", WATCHED_STEPS))
        if equal.first_difference(again.steps, third.steps) is None:
            return equal.judge(again, third, None)
        traced = self._experiment("operations", TRACED_STEPS)
        return equal.judge(again, third, (self._launcher.run(traced), self._launcher.run(traced)))

    def _accumulates(self) -> Verdict:
        by, size = self._options.accumulate_option, self._options.batch_option
        if by is None or size is None:
            return not_tested(accumulate.NAME, accumulate.NO_OPTIONS)
        batch = _value_of(self._program.args, size) or BATCH
        runs, places = [], []
        for num in (ACCUMULATE, 1):
            args = _with_option(self._program.args, by, num)
            args = _with_option(args, size, batch * ACCUMULATE // num)
            copy = self._launcher.copy()
            wanted = replace(self._experiment("gradients", 1, args), seed=SEED)
            runs.append(self._launcher.run(wanted, copy))
            places.append(copy.place / GRADIENTS)
        return accumulate.judge(runs[0], runs[1], _compared(*places), ACCUMULATE, batch, self._timeout)

    def _resumes(self) -> Verdict:
        if not self._options.resume_with:
            return not_tested(resume.NAME, resume.NO_ARGS)
        copy = self._launcher.copy()
        killed = self._launcher.run(self._experiment("kill", MOST_STEPS_TO_SAVE), copy)
        if not killed.num_saves:
            return resume.judge(killed, killed, killed, killed, self._timeout)
        args = (*self._program.args, *self._options.resume_with)
        resumed = self._launcher.run(self._experiment("course", RESUMED_STEPS, args), copy)
        steps = len(killed.steps) + RESUMED_STEPS
        whole, again = (self._launcher.run(self._experiment("course", steps)) for _ in range(2))
        return resume.judge(whole, again, killed, resumed, self._timeout)


def _value_of(args: Sequence[str], option: str) -> int | None:
    for i, arg in enumerate(args):
        name, _, value = arg.partition("=")
        if name == option:
            text = value or "".join(args[i + 1 : i + 2])
            return int(text) if text.isdecimal() else None
    return None


def _with_option(args: Sequence[str], option: str, value: int) -> tuple[str, ...]:
    """With its value replaced, or added at the end."""
    kept: list[str] = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg == option:
            skip = True
        elif not arg.startswith(f"{option}="):
            kept.append(arg)
    return (*kept, option, str(value))


def _compared(small: Path, large: Path) -> tuple[float, float] | None:
    """The relative difference of two lists of gradients, and the factor between them."""
    if not small.exists() or not large.exists():
        return None
    from surefoot.check.difference import compare_gradients

    return compare_gradients(small, large)
