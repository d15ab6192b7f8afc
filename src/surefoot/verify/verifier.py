"""Run both commands and compare them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from surefoot.verify.recording import Recording
from surefoot.verify.runner import CannotCompareError, Runner, shown
from surefoot.verify.tolerance import SEEDS, Tolerances, unit_of
from surefoot.verify.verdict import Verdict, judge


class Reference:
    """A command that others are compared with. Its runs are made once for each precision."""

    def __init__(self, runner: Runner, command: Sequence[str]) -> None:
        self._runner = runner
        self._command = command
        self._runs: dict[float, list[list[Recording]]] = {}

    def compare(self, other: list[Recording]) -> Verdict:
        unit = unit_of(other[0].dtypes)
        if unit not in self._runs:
            perturbed = [(unit, seed) for seed in SEEDS]
            self._runs[unit] = self._runner.run_perturbed(self._command, [(0.0, 0), (0.0, 0), *perturbed])
        runs = self._runs[unit]
        own = runs[0][0]
        _check_inputs(runs, self._command)
        params = [*own.param_dtypes, *other[0].param_dtypes]
        tolerances = Tolerances.measured(runs, max(unit, unit_of(own.dtypes)), unit_of(params))
        return judge(runs[0], other, tolerances)


def verify(
    runner: Runner, reference: Sequence[str], other: Sequence[str], preset: str = "", wrapper: str = "",
    say: Callable[[str], None] = lambda text: None,
) -> Verdict:  # fmt: skip
    """`wrapper` is what a preset expects around the model; `say` is told what is being run."""
    say(f"running {shown(other)}")
    found = runner.run(other, preset)
    if wrapper and wrapper not in found[0].wrappers:
        has = f"it has {', '.join(found[0].wrappers)}" if found[0].wrappers else "nothing wraps it"
        missing, how = MISSING[wrapper]
        raise CannotCompareError(f"`{shown(other)}` trains no model {missing}: {has}. {how}")
    say(f"running {shown(reference)}, as it is and perturbed by rounding")
    return Reference(runner, reference).compare(found)


MISSING = {
    "DistributedDataParallel": (
        "in DistributedDataParallel", "Wrap it when WORLD_SIZE is above 1, or give both commands, each after `--`.",
    ),
    "DTensor": (
        "that fully_shard has split", "Call it when WORLD_SIZE is above 1, or give both commands, each after `--`.",
    ),
}  # fmt: skip


def _check_inputs(runs: list[list[Recording]], command: Sequence[str]) -> None:
    """Runs that get other samples each time can't be compared with anything."""
    one, two = ([call.samples for call in run[0].steps[0].calls] for run in runs[:2])
    if one != two:
        raise CannotCompareError(
            f"two equal runs of `{shown(command)}` compute with different samples at step 1. "
            "Seed all generators that it uses."
        )
