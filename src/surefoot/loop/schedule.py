"""Learning-rate schedules that torch lacks as one call. Each is a torch `LambdaLR`, advanced once per update.

A schedule multiplies the rate that each parameter group was given by one factor. `updates` counts applied updates:
the first update runs at the factor for 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from surefoot.loop.factor import Factor, InverseTime, StepDecay, WarmupConstantDecay, WarmupCosine
from surefoot.watch.schedule.timetable import builtin_of, length_of

__all__ = ["inverse_time", "length_of", "mismatch", "step_decay", "warmup_constant_decay", "warmup_cosine"]

NEAR = 0.02  # of the updates: rounding of a user's own sum
GO_ON = ("LinearLR", "ConstantLR", "MultiStepLR")  # their last rate is meant to stay


def warmup_cosine(optimizer: Optimizer, *, warmup: int, updates: int, floor: float = 0.0) -> LambdaLR:
    """Rise linearly for `warmup` updates, then fall along half a cosine to `floor`, a share of each group's rate.

    The rate is never 0 during the warm-up, is full at update `warmup + 1`, and stays at `floor` beyond `updates`.
    """
    _check_length(warmup, 0, updates)
    return LambdaLR(optimizer, WarmupCosine(warmup, updates, _share("floor", floor)))


def warmup_constant_decay(
    optimizer: Optimizer, *, warmup: int, updates: int, decay: int, floor: float = 0.0
) -> LambdaLR:
    """Rise linearly for `warmup` updates, stay, and fall linearly to `floor` (a share) in the last `decay` ones."""
    _check_length(warmup, _count("decay", decay, 1), updates)
    return LambdaLR(optimizer, WarmupConstantDecay(warmup, updates, decay, _share("floor", floor)))


def inverse_time(optimizer: Optimizer, *, scale: int, power: float = 1.0, warmup: int = 0) -> LambdaLR:
    """After a linear warm-up, `(1 + t / scale) ** -power`: with power 1 the rate is half after `scale` updates.

    It has no end. `power=0.5` is the inverse square root that is common for transformers.
    """
    if not isinstance(power, int | float) or not power > 0:
        raise ValueError(f"power must be a number above 0, got {power!r}.")
    return LambdaLR(optimizer, InverseTime(_count("scale", scale, 1), float(power), _count("warmup", warmup, 0)))


def step_decay(optimizer: Optimizer, *, at: Sequence[int], factor: float = 0.1) -> LambdaLR:
    """Multiply the rate by `factor` after each of the numbers of updates in `at`."""
    milestones = tuple(_count("each number in at", update, 1) for update in at)
    if not milestones or list(milestones) != sorted(set(milestones)):
        raise ValueError(f"at must hold rising numbers of updates, such as [1000, 2000], got {list(at)}.")
    return LambdaLR(optimizer, StepDecay(milestones, _share("factor", factor)))


def mismatch(scheduler: Any, updates: int) -> str | None:
    """What is wrong with running a scheduler for so many updates; None where it fits or has no known length."""
    length = length_of(scheduler)
    if length is None or abs(length - updates) <= max(1, NEAR * updates):
        return None
    if length < updates and _goes_on(scheduler):
        return None
    what = "its end is never reached" if length > updates else f"the last {updates - length} run past its end"
    return f"{_name(scheduler)} is made for {length} updates, but {updates} are planned: {what}"


def _goes_on(scheduler: Any) -> bool:
    """Whether the rate after its length is meant to stay, so that any longer run is as good."""
    kind = builtin_of(scheduler)
    if kind == "SequentialLR":
        return _goes_on(scheduler._schedulers[-1])
    if kind == "ChainedScheduler":
        return all(_goes_on(child) for child in scheduler._schedulers)
    return kind in GO_ON or isinstance(_factor(scheduler), StepDecay)


def _factor(scheduler: Any) -> Factor | None:
    lambdas = getattr(scheduler, "lr_lambdas", ())
    return lambdas[0] if lambdas and isinstance(lambdas[0], Factor) else None


def _name(scheduler: Any) -> str:
    factor = _factor(scheduler)
    return type(scheduler).__name__ if factor is None else f"sf.schedule.{factor.made_by}"


def _check_length(warmup: int, decay: int, updates: int) -> None:
    _count("warmup", warmup, 0)
    _count("updates", updates, 1)
    if warmup + decay > updates or warmup == updates:
        parts = f"warmup {warmup} and decay {decay}" if decay else f"warmup {warmup}"
        raise ValueError(f"updates must leave room for the warm-up and the decay after it, got {updates} with {parts}.")


def _count(what: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} must be a whole number of updates, got {value!r}.")
    if value < least:
        raise ValueError(f"{what} must be at least {least}, got {value}.")
    return value


def _share(what: str, value: float) -> float:
    if not isinstance(value, int | float) or not 0 <= value < 1:
        raise ValueError(f"{what} must be a share of the rate, at least 0 and below 1, got {value!r}.")
    return float(value)
