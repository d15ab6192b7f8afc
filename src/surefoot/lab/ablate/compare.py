"""`sf.ablate`: every combination of settings, with several seeds, in parallel processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from surefoot.lab.ablate.crew import Crew
from surefoot.lab.ablate.plan import Budget, Outcome, Plan, plans
from surefoot.lab.ablate.result import Ablation
from surefoot.loop.log import Log
from surefoot.runlog.write.current import log_folder

MOST_TRIALS = 10_000


def ablate(
    make_loop: Callable[..., Any], grid: Mapping[str, Sequence[Any]], *, seeds: int | Sequence[int] = 3,
    updates: int | None = None, epochs: int | None = None, processes: int | None = None, log: Log = "runs",
    progress: bool = True,
) -> Ablation:  # fmt: skip
    """Compare settings on your own problem: train with every combination of `grid`, with several seeds each.

    `make_loop(**settings)` returns `(loop, loader, loss_fn)`, and as a fourth held-out data, whose loss then counts. It
    is called in other processes, so it must be importable, and the call of `ablate` stands under
    `if __name__ == "__main__":`. All trials have the same budget, in updates or in epochs; those with one seed
    start from the same random numbers and get the same batches, unless the settings change them. Each is a run of its
    own in `log`.
    """
    planned = plans(_checked_grid(grid), _checked_seeds(seeds))
    budget = _checked_budget(updates, epochs)
    num = _checked_processes(processes, len(planned))
    _check_importable(make_loop, planned)
    folder = log_folder(log)
    outcomes: list[Outcome] = []
    tell = _Progress(len(planned)) if progress else None
    with Crew(make_loop, budget, folder, num) as crew:
        for outcome in crew.run(planned):
            outcomes.append(outcome)
            if tell is not None:
                tell(outcome)
    _raise_if_none_ran(outcomes)
    return Ablation.of(outcomes, budget)


class _Progress:
    def __init__(self, num: int) -> None:
        self._num, self._done, self._started = num, 0, perf_counter()

    def __call__(self, outcome: Outcome) -> None:
        self._done += 1
        left = (perf_counter() - self._started) / self._done * (self._num - self._done)
        output = outcome.error or ("no loss" if outcome.loss is None else f"loss {outcome.loss:.4g}")
        rest = f"; about {left:.0f} s left" if self._done < self._num else ""
        print(
            f"surefoot: trial {self._done} of {self._num}: {outcome.plan}: {output}{rest}", file=sys.stderr, flush=True
        )


def _raise_if_none_ran(outcomes: Sequence[Outcome]) -> None:
    """A mistake in the program fails every trial alike: show where it is."""
    if outcomes and all(outcome.trace for outcome in outcomes):
        raise RuntimeError(f"every trial failed; the first, {outcomes[0].plan}, with:\n{outcomes[0].trace}")


def _checked_grid(grid: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    if not isinstance(grid, Mapping) or not grid:
        raise TypeError('grid must be a dict of lists, such as {"optimizer": ["SGD", "Adam"]}, got ' + repr(grid) + ".")
    for name, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise TypeError(f"grid[{name!r}] must be a list of values to try, got {values!r}.")
    return {name: list(values) for name, values in grid.items()}


def _checked_seeds(seeds: int | Sequence[int]) -> list[int]:
    given = list(range(seeds)) if isinstance(seeds, int) and not isinstance(seeds, bool) else seeds
    if isinstance(given, bool) or not given or not all(isinstance(seed, int) and seed >= 0 for seed in given):
        raise ValueError(f"seeds must be a number of seeds, at least 1, or a list of them, got {seeds!r}.")
    return list(given)


def _checked_budget(updates: int | None, epochs: int | None) -> Budget:
    given = [budget for budget in (updates, epochs) if budget is not None]
    if len(given) != 1 or isinstance(given[0], bool) or not isinstance(given[0], int) or given[0] < 1:
        raise ValueError(f"give one budget for all trials, updates= or epochs=, got {updates!r} and {epochs!r}.")
    return Budget(updates, epochs)


def _checked_processes(processes: int | None, num_trials: int) -> int:
    if num_trials > MOST_TRIALS:
        raise ValueError(f"{num_trials} trials are more than {MOST_TRIALS}: take a smaller grid.")
    if processes is not None and (isinstance(processes, bool) or not isinstance(processes, int) or processes < 1):
        raise ValueError(f"processes must be at least 1, got {processes!r}.")
    return min(processes or os.cpu_count() or 1, num_trials)


def _check_importable(make_loop: Callable[..., Any], planned: Sequence[Plan]) -> None:
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise RuntimeError(
            'ablate() starts processes, which import the script again: put its call under `if __name__ == "__main__":`.'
        )
    if not callable(make_loop):
        raise TypeError(f"ablate() takes a function that makes a loop, got {type(make_loop).__name__}.")
    main = sys.modules.get("__main__")
    at_prompt = getattr(make_loop, "__module__", "") == "__main__" and not hasattr(main, "__file__")
    try:
        pickle.dumps(make_loop)
    except Exception:
        at_prompt = True
    if at_prompt:
        name = getattr(make_loop, "__qualname__", repr(make_loop))
        raise ValueError(
            f"other processes must be able to import {name}: define it at the top of a module, not in a function, a "
            "notebook or as a lambda."
        )
    try:
        pickle.dumps(planned)
    except Exception as error:
        raise ValueError(
            f"the values of grid must be plain, or importable, to reach other processes: {error}. Pass names, and "
            "make objects of them in make_loop."
        ) from None
