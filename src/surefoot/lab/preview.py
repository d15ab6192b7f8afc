"""`sf.schedule.preview`: the rates of every update of a schedule, before any training.

The schedule itself is not moved: a copy of it is stepped, with an optimizer of its own that holds one number for each
parameter group. It is torch's own code that computes the rates.
"""

from __future__ import annotations

import copy
import csv
import inspect
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.optim import SGD, Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from surefoot.facts.json_text import json_text
from surefoot.lab.chart import Chart, Line, Mark, as_svg, as_text
from surefoot.loop.loop import Loop
from surefoot.loop.schedule import length_of, mismatch
from surefoot.watch.schedule.timetable import children_of, position_of

MOST_UPDATES = 10_000_000  # more are a slip of the keyboard, and would not fit into memory


@dataclass(frozen=True)
class Preview:
    """What a schedule does. `rates[k]` is the rate of the first parameter group for the update after `k` ones."""

    name: str
    rates: tuple[float, ...]
    groups: tuple[tuple[float, ...], ...]  # the rates of all groups, by group
    first: int  # updates that the schedule had seen before
    length: int | None  # updates that it is made for; None where it has no end or hides it
    marks: tuple[tuple[int, str], ...]  # updates, counted from 1, and what happens there
    warnings: tuple[str, ...]

    @property
    def updates(self) -> int:
        return len(self.rates)

    def plot(self, *, width: int = 64, height: int = 12) -> str:
        """The curve, its marks and warnings as text."""
        message = "".join(f"warning: {warning}\n" for warning in self.warnings)
        return as_text(self._chart(), width=width, height=height) + message

    def svg(self) -> str:
        return as_svg(self._chart())

    def csv(self) -> str:
        """One row an update, one column a parameter group."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["update", *(f"lr/{i}" if i else "lr" for i in range(len(self.groups)))])
        writer.writerows(zip(self._numbers(), *self.groups, strict=True))
        return out.getvalue()

    def json(self) -> str:
        message = {
            "schedule": self.name, "updates": self.updates, "first": self.first, "length": self.length,
            "marks": [{"update": update, "what": what} for update, what in self.marks],
            "warnings": list(self.warnings), "rates": self.groups,
        }  # fmt: skip
        return json_text(message) + "\n"

    def __str__(self) -> str:
        return self.plot()

    def _numbers(self) -> range:
        return range(self.first + 1, self.first + self.updates + 1)

    def _chart(self) -> Chart:
        names = [f"group {i}" for i in range(len(self.groups))] if len(self.groups) > 1 else ["rate"]
        lines = [Line(n, list(zip(self._numbers(), g, strict=True))) for n, g in zip(names, self.groups, strict=True)]
        marks = [Mark(update, f"{what} (update {update})") for update, what in self.marks]
        return Chart(self.name, "update", "rate", lines, marks)


Factory = Callable[..., Any]


def preview(schedule: LRScheduler | Factory, updates: int | None = None, *, lr: float = 1.0) -> Preview:
    """Tell the rate of every update, without training; the scheduler is left as it is.

    `schedule` is a scheduler, ours or torch's, or a function that makes one from an optimizer; for a function, `lr` is
    the rate that this optimizer is given. `updates` is how many are planned; left out, as many as the schedule is
    made for. Rates are exactly those that torch gives when the scheduler is stepped after every update.
    """
    scheduler = schedule if _is_scheduler(schedule) else _made(schedule, lr)
    _refuse_what_waits_for_losses(scheduler)
    length = length_of(scheduler)
    first = position_of(scheduler) or 0
    num = _check_updates(updates, length, first)
    rates, failure = _rates(scheduler, num)
    name = _name(scheduler)
    marks = tuple(_marks(rates[0], first, length, first + num))
    message = [*([] if failure is None else [failure]), *_warnings(scheduler, rates[0], first, first + num)]
    return Preview(name, rates[0], rates, first, length, marks, tuple(message))


def scheduler_in(made: Any) -> Any:
    """For what a function without arguments may return: a loop, or a tuple that begins with one, has a scheduler."""
    if not callable(made) or _is_scheduler(made) or _takes_optimizer(made):
        return made
    result = made()
    loop = result[0] if isinstance(result, tuple) and result else result
    if not isinstance(loop, Loop):
        return result
    schedulers = [
        one for updater in loop._updaters.values() if updater.scheduler for one in updater.scheduler.per_update
    ]
    loop.close()
    if len(schedulers) != 1:
        raise ValueError(f"the loop must have one scheduler, got {len(schedulers)}. Name a function that returns one.")
    return schedulers[0]


def _is_scheduler(given: Any) -> bool:
    return isinstance(given, LRScheduler) or (hasattr(given, "optimizer") and callable(getattr(given, "step", None)))


def _made(factory: Any, lr: float) -> Any:
    if not callable(factory):
        raise TypeError(
            f"preview() takes a scheduler, or a function that makes one from an optimizer, got "
            f"{type(factory).__name__}."
        )
    if not isinstance(lr, int | float) or not lr > 0:
        raise ValueError(f"lr must be a rate above 0, got {lr!r}.")
    made = factory(SGD([Parameter(torch.zeros(1))], lr=lr)) if _takes_optimizer(factory) else factory()
    if not _is_scheduler(made):
        if isinstance(made, type):
            raise TypeError(f"a schedule is made by a call: {made.__name__}(optimizer, …), got the class.")
        raise TypeError(f"the function must return a scheduler, got {type(made).__name__}.")
    return made


def _takes_optimizer(factory: Factory) -> bool:
    try:
        return bool(inspect.signature(factory).parameters)
    except (TypeError, ValueError):
        return True


def _refuse_what_waits_for_losses(scheduler: Any) -> None:
    for one in (scheduler, *children_of(scheduler)):
        if isinstance(one, ReduceLROnPlateau):
            raise ValueError(
                "ReduceLROnPlateau follows the losses of the run: its rates can't be told before training. "
                "A run's own are in its log, as the series lr."
            )


def _check_updates(updates: int | None, length: int | None, first: int) -> int:
    if updates is None:
        if length is None or length <= first:
            raise ValueError(
                "the schedule does not tell its length: say how many are planned, updates=1000 (--updates 1000)."
            )
        return length - first
    if isinstance(updates, bool) or not isinstance(updates, int) or not 1 <= updates <= MOST_UPDATES:
        raise ValueError(f"updates must be a whole number from 1 to {MOST_UPDATES}, got {updates!r}.")
    return updates


def _rates(scheduler: Any, num: int) -> tuple[tuple[tuple[float, ...], ...], str | None]:
    """By group, the rates of the next `num` updates; fewer if the schedule fails before, and how it does."""
    stand_in = _stand_in(scheduler.optimizer)
    # The copy shares nothing with the original; the optimizer and its parameters, which may be huge, are not copied.
    own = copy.deepcopy(scheduler, {id(scheduler.optimizer): stand_in})
    found: list[list[float]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about steps of an optimizer that nobody steps
        for update in range(num):
            if update:
                try:
                    own.step()
                except Exception as error:  # whatever it is, training would end with it
                    return _by_group(found), f"training would fail after update {update}: {error}."
            found.append([float(group["lr"]) for group in stand_in.param_groups])
    return _by_group(found), None


def _by_group(rates: list[list[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(zip(*rates, strict=True))


def _stand_in(optimizer: Optimizer) -> SGD:
    """Of the same groups, with one number each in place of their parameters."""
    stand_in = SGD([{"params": [Parameter(torch.zeros(1))], "lr": 1.0} for _ in optimizer.param_groups])
    for own, group in zip(stand_in.param_groups, optimizer.param_groups, strict=True):
        own |= {key: _copied(value) for key, value in group.items() if key != "params"}
    return stand_in


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else copy.deepcopy(value)


def _name(scheduler: Any) -> str:
    made_by = getattr(next(iter(getattr(scheduler, "lr_lambdas", ())), None), "made_by", None)
    return type(scheduler).__name__ if made_by is None else f"sf.schedule.{made_by}"


def _marks(rates: Sequence[float], first: int, length: int | None, planned: int) -> list[tuple[int, str]]:
    """In the order of updates, counted from 1."""
    marks = []
    rising = next((i for i, (a, b) in enumerate(pairwise(rates)) if b <= a), len(rates) - 1)
    if 0 < rising < len(rates) - 1 and first == 0:
        marks.append((rising + 1, f"the warm-up is over, rate {rates[rising]:.4g}"))
    peak = max(range(len(rates)), key=rates.__getitem__)
    if max(rates) > min(rates) and (first + peak + 1) not in [update for update, _ in marks]:
        marks.append((first + peak + 1, f"peak, rate {rates[peak]:.4g}"))
    if length is not None and first < length < first + len(rates):
        marks.append((length, f"the schedule ends, rate {rates[length - first - 1]:.4g}"))
    last = "last planned update" if first + len(rates) == planned else "the schedule fails after this update"
    marks.append((first + len(rates), f"{last}, rate {rates[-1]:.4g}"))
    return sorted(marks)


def _warnings(scheduler: Any, rates: Sequence[float], first: int, planned: int) -> list[str]:
    message = []
    wrong = mismatch(scheduler, planned)
    if wrong is not None:
        message.append(f"{wrong}.")
    if rates[0] == 0.0:
        message.append(f"update {first + 1} runs at rate 0: it changes nothing.")
    return message
