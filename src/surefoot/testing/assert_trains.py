"""`sf.testing.assert_trains`: a training function has no silent bug, and its loss falls."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.rules import Level
    from surefoot.testing.span import WatchedSpan
    from surefoot.watch.recorder import Recorder

LEAST_LOSSES = 2  # to tell a fall
TENTH = 10  # the first and the last tenth of the losses are compared: single ones are noisy


def assert_trains(
    train: Callable[[], object], *, steps: int | None = None, at_most: float | None = None, level: Level = "error"
) -> None:
    """Run a training function and assert that nothing is wrong with it.

    No finding may reach `level`. The mean loss of the last tenth of the steps must be below that of the first tenth,
    for each optimizer, and not above `at_most`. `steps` ends the function after so many optimizer steps. Losses are
    exact, of every step, as a run log has them.
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
    _check(train, steps, at_most, level)
    from surefoot.testing.span import WatchedSpan, at_least, chosen_rules, told

    span = WatchedSpan(chosen_rules(Path(sys._getframe(1).f_code.co_filename).parent))
    try:
        losses = _losses(train, span, steps)
    finally:
        span.stop()
    findings = at_least(level, span.findings)
    if findings:
        raise AssertionError(told(findings))
    _assert_falling(losses, at_most)


def _check(train: Any, steps: Any, at_most: Any, level: Any) -> None:
    if not callable(train):
        raise TypeError(f"train must be a function without arguments that trains, got {type(train).__name__}.")
    if steps is not None and (not isinstance(steps, int) or steps < LEAST_LOSSES):
        raise ValueError(f"steps must be at least {LEAST_LOSSES}, got {steps!r}. Leave it out to train to the end.")
    if at_most is not None and not isinstance(at_most, int | float):
        raise TypeError(f"at_most must be a loss, got {at_most!r}.")
    if level not in ("error", "warning", "note"):
        raise ValueError(f'level must be "error", "warning" or "note", got {level!r}.')


def _losses(train: Callable[[], object], span: WatchedSpan, steps: int | None) -> dict[int, list[float]]:
    """Of every step, by the number of its optimizer."""
    __tracebackhide__ = True
    import torch  # noqa: F401  # starts the span, if nobody else has imported it

    assert span.sanitizer is not None
    recorder = span.sanitizer.recorder
    before = recorder.num_steps
    from surefoot.watch.step import MaxStepsReached

    with _limited(recorder, steps), _received(recorder) as losses:
        try:
            train()
        except MaxStepsReached:
            if steps is None or recorder.num_steps < before + steps:
                raise  # somebody else's limit
    if recorder.num_steps == before:
        raise AssertionError("train() took no optimizer step. Pass a function that trains when it is called.")
    return losses


@contextmanager
def _limited(recorder: Recorder, steps: int | None) -> Iterator[None]:
    settings = recorder.settings
    if steps is not None:
        recorder.settings = dataclasses.replace(settings, max_steps=recorder.num_steps + steps)
    try:
        yield
    finally:
        recorder.settings = dataclasses.replace(recorder.settings, max_steps=settings.max_steps)


@contextmanager
def _received(recorder: Recorder) -> Iterator[dict[int, list[float]]]:
    losses: dict[int, list[float]] = {}

    def hear(optimizer: int, step: int, loss: float, factor: float, rate: float | None) -> None:
        losses.setdefault(optimizer, []).append(loss)

    recorder.losses.listeners.append(hear)
    try:
        yield losses
        recorder.losses.read()
    finally:
        recorder.losses.listeners.remove(hear)


def _assert_falling(losses: dict[int, list[float]], at_most: float | None) -> None:
    __tracebackhide__ = True
    if not losses:
        raise AssertionError("no loss was seen: train() called backward() on no single number before its steps.")
    for optimizer, series in losses.items():
        whose = f" of optimizer {optimizer}" if len(losses) > 1 else ""
        if len(series) < LEAST_LOSSES:
            raise AssertionError(f"one step{whose} can't show that the loss falls. Train for more steps.")
        num = max(1, len(series) // TENTH)
        first, last = _mean(series[:num]), _mean(series[-num:])
        course = f"{first:.4g} over the first {num} of {len(series)} steps, {last:.4g} over the last {num}"
        if num == 1:
            course = f"{first:.4g} at the first of {len(series)} steps, {last:.4g} at the last"
        if not last < first:  # a NaN has not fallen
            raise AssertionError(f"the loss{whose} did not fall: {course}.")
        if at_most is not None and last > at_most:
            raise AssertionError(f"the loss{whose} fell too little: {course}; at_most is {at_most:.4g}.")


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
