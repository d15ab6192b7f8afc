"""The factors by which our schedules multiply the rates: plain settings and one formula each.

They are objects rather than functions, because torch saves the settings of objects with the scheduler.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar


class Factor(ABC):
    made_by: ClassVar[str]  # the function of sf.schedule

    @property
    def num_training_steps(self) -> int | None:
        """Updates it is made for; the sanitizer looks for this name too. None where it has no end."""
        return None

    @abstractmethod
    def __call__(self, update: int) -> float:
        """The factor for the update that follows after `update` ones."""


def _rising(update: int, warmup: int) -> float:
    """From just above 0 to just below 1: an update at rate 0 would be wasted."""
    return (update + 1) / (warmup + 1)


@dataclass(frozen=True)
class WarmupCosine(Factor):
    made_by = "warmup_cosine"
    warmup: int
    updates: int
    floor: float

    @property
    def num_training_steps(self) -> int:
        return self.updates

    def __call__(self, update: int) -> float:
        if update < self.warmup:
            return _rising(update, self.warmup)
        done = min(1.0, (update - self.warmup) / (self.updates - self.warmup))
        return self.floor + (1 - self.floor) * 0.5 * (1 + math.cos(math.pi * done))


@dataclass(frozen=True)
class WarmupConstantDecay(Factor):
    made_by = "warmup_constant_decay"
    warmup: int
    updates: int
    decay: int
    floor: float

    @property
    def num_training_steps(self) -> int:
        return self.updates

    def __call__(self, update: int) -> float:
        if update < self.warmup:
            return _rising(update, self.warmup)
        left = min(1.0, max(0.0, (self.updates - update) / self.decay))
        return self.floor + (1 - self.floor) * left


@dataclass(frozen=True)
class InverseTime(Factor):
    made_by = "inverse_time"
    scale: int
    power: float
    warmup: int

    def __call__(self, update: int) -> float:
        if update < self.warmup:
            return _rising(update, self.warmup)
        return float((1 + (update - self.warmup) / self.scale) ** -self.power)


@dataclass(frozen=True)
class StepDecay(Factor):
    made_by = "step_decay"
    milestones: tuple[int, ...]
    factor: float

    @property
    def num_training_steps(self) -> int:
        return self.milestones[-1]

    def __call__(self, update: int) -> float:
        return float(self.factor ** bisect_right(self.milestones, update))
