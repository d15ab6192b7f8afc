"""Weights divided by the largest of their micro-batch, as in prioritised replay: the window's is another."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from surefoot.loop.weight.error import unknown
from surefoot.loop.weight.items import look_below
from surefoot.loop.weight.terms import reductions_of

MIN_VALUES = 4
NEAR = 1e-6


def refuse_scaled(loss: Tensor, before: Sequence[float]) -> list[float]:
    """The second largest of the weights whose largest is one. `before` are those of another micro-batch.

    One weight that is exactly one and all others different is no proof: discounts begin like that, and ramps end like
    that. Another second largest in the next micro-batch is, as weights that belong to the items have no reason for it.
    """
    seconds = [_second(mask.values) for reduction in reductions_of(loss) for mask in look_below(reduction.node).masks]
    for now, earlier in zip(seconds, before, strict=False):
        if now and earlier and abs(now - earlier) > NEAR:
            raise unknown("multiplies items by weights that were divided by the largest of the micro-batch")
    return seconds


def _second(values: Tensor) -> float:
    """0 where this is nothing that was divided by its largest."""
    if values.numel() < MIN_VALUES or not values.is_floating_point():
        return 0.0
    found = values.detach().double().flatten().sort(descending=True).values
    steps = -found.diff()
    is_ramp = bool((steps - steps[0]).abs().max() < NEAR)
    if float(found[0]) != 1.0 or float(found[-1]) < 0.0 or bool((steps == 0).any()) or is_ramp:
        return 0.0
    return float(found[1])
