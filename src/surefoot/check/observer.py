"""Watches the steps of a program: losses, rates, weights; ends it after the last step that is wanted."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from surefoot.check.calls import Calls
from surefoot.check.experiment import Experiment, Result, Step
from surefoot.check.first_loss import describe
from surefoot.check.tensors import digest
from surefoot.watch.step import MaxStepsReached

TRIED = [*range(0, 2000, 20), *range(2000, 100_000, 1000)]  # updates at which a LambdaLR is asked for its rate
FIRST_PARAMS = 64  # of an optimizer, that are compared with their start


class Observer:
    """`before_step` may prepare the update, `closely` looks at the last step before its backward."""

    def __init__(self, experiment: Experiment, result: Result, write: Callable[[], None]) -> None:
        self.experiment = experiment
        self.result = result
        self.calls = Calls()
        self.step = Step()  # the one that is running
        self.before_step: list[Callable[[Optimizer], None]] = []
        self.after_step: list[Callable[[Optimizer], None]] = []
        self.at_backward: list[Callable[[], None]] = []
        self.is_clear: Callable[[Result], bool] = lambda result: False  # more steps would not change the verdict
        self.peak_rates = False  # schedules are passed over: every step has the highest rate
        self._write = write
        self._begun = time.monotonic()
        self._has_ended = False
        self._was_late = False
        self._losses: list[float] = []
        self._optimizers: dict[int, Optimizer] = {}
        self._start: dict[int, list[Tensor]] = {}
        self._peaks: dict[int, list[float]] = {}
        self._schedulers: list[LRScheduler] = []
        self._rates: dict[int, list[float | None]] = {}

    @property
    def is_last(self) -> bool:
        return len(self.result.steps) + 1 >= self.experiment.steps or self._was_late

    @property
    def _is_late(self) -> bool:
        return time.monotonic() - self._begun > self.experiment.seconds

    def install(self) -> None:
        self.calls.install()
        register_optimizer_step_pre_hook(self._begins)
        register_optimizer_step_post_hook(self._ends)
        original = torch.autograd.backward

        def backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
            roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
            if len(roots) == 1 and roots[0].numel() == 1 and not roots[0].is_complex():
                self._losses.append(float(roots[0].detach()))
            if not self.result.steps and not self.result.losses:
                self.result.losses = [describe(loss) for loss in self.calls.losses]
            for look in self.at_backward:
                look()
            original(tensors, *args, **kwargs)

        torch.autograd.backward = backward
        self._hear_schedulers()

    def _hear_schedulers(self) -> None:
        original = LRScheduler.__init__

        def __init__(scheduler: LRScheduler, *args: Any, **kwargs: Any) -> None:
            self._schedulers.append(scheduler)
            original(scheduler, *args, **kwargs)

        LRScheduler.__init__ = __init__  # type: ignore[method-assign, assignment]

    def _begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        number = self._number(optimizer)
        rate = optimizer.param_groups[0].get("lr") if optimizer.param_groups else None
        self.step.rate = None if rate is None else float(rate)
        self.step.optimizer = number
        self.result.has_closure |= bool(kwargs.get("closure")) or any(callable(one) for one in args[1:])
        if self.peak_rates:
            self._raise_rates(optimizer, number)
        for prepare in self.before_step:
            prepare(optimizer)

    def _number(self, optimizer: Optimizer) -> int:
        number = next((n for n, one in self._optimizers.items() if one is optimizer), len(self._optimizers))
        if number not in self._optimizers:
            self._optimizers[number] = optimizer
            self._start[number] = [param.detach().clone() for param in _params(optimizer)[:FIRST_PARAMS]]
            self.result.num_optimizers = len(self._optimizers)
        return number

    def _raise_rates(self, optimizer: Optimizer, number: int) -> None:
        """A warm-up must not look like a model that can't learn."""
        if number not in self._peaks:
            self._peaks[number] = [_peak(group, optimizer, self._schedulers) for group in optimizer.param_groups]
        before = self._rates.setdefault(number, [])
        for group, peak in zip(optimizer.param_groups, self._peaks[number], strict=False):
            if "initial_lr" not in group:
                before.append(self.step.rate)
                self.result.is_moved_by_hand |= len(set(before[-2:])) > 1
            elif isinstance(group["lr"], Tensor):
                group["lr"].fill_(peak)
            else:
                group["lr"] = peak
        self.step.rate = float(optimizer.param_groups[0]["lr"]) if "lr" in optimizer.param_groups[0] else None

    def _ends(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        for look in self.after_step:
            look(optimizer)
        self.step.loss = sum(self._losses) / len(self._losses) if self._losses else None
        self.result.steps.append(self.step)
        self._losses, self.step = [], Step()
        self.calls.clear()
        if self._has_ended:  # the program caught the exception
            self._write()
            os._exit(0)
        was_last, self._was_late = self._was_late, self._is_late  # one more step, which is known to be the last
        if len(self.result.steps) >= self.experiment.steps or was_last or self.is_clear(self.result):
            self._has_ended = True
            self.finish()
            raise MaxStepsReached(len(self.result.steps))

    def finish(self) -> None:
        """What is known at the end only."""
        for number, optimizer in self._optimizers.items():
            now = _params(optimizer)[:FIRST_PARAMS]
            same = zip(now, self._start[number], strict=False)
            self.result.has_moved |= any(not torch.equal(param.detach(), start) for param, start in same)

    def schedules(self) -> int:
        """How far each has come."""
        return zlib.crc32(repr([scheduler.last_epoch for scheduler in self._schedulers]).encode())

    def weights(self, optimizer: Optimizer) -> int:
        total = 0
        for param in _params(optimizer):
            total = (total * 31 + digest(param)) & 0xFFFFFFFFFFFF
        return total


def _params(optimizer: Optimizer) -> list[Tensor]:
    return [param for group in optimizer.param_groups for param in group["params"]]


def _peak(group: dict[str, Any], optimizer: Optimizer, schedulers: list[LRScheduler]) -> float:
    """The highest rate that its schedule gives."""
    initial = float(group.get("initial_lr", group.get("lr", 0.0)))
    if "max_lr" in group:
        return float(group["max_lr"]) / 2  # held for long, the peak of a cycle may be too high
    at = optimizer.param_groups.index(group)
    for scheduler in schedulers:
        if isinstance(scheduler, LambdaLR) and scheduler.optimizer is optimizer and "initial_lr" in group:
            return initial * max(float(scheduler.lr_lambdas[at](update)) for update in TRIED)
    return initial
