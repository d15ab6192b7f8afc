"""What is tried, and what came of it. Plain values that go from process to process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Settings = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Budget:
    """The same for all trials; one of both."""

    updates: int | None
    epochs: int | None

    def __str__(self) -> str:
        return f"{self.updates} updates" if self.updates is not None else f"{self.epochs} epochs"


@dataclass(frozen=True, slots=True)
class Plan:
    number: int
    settings: Settings
    seed: int

    def __str__(self) -> str:
        return ", ".join([*(f"{name}={shown(value)}" for name, value in self.settings.items()), f"seed {self.seed}"])


@dataclass(frozen=True, slots=True)
class Outcome:
    """`loss` is that of held-out data if there is some, else the mean of the last tenth of the updates."""

    plan: Plan
    loss: float | None = None  # None where it failed or is not finite
    is_held_out: bool = False
    num_updates: int = 0
    seconds: float = 0.0
    num_findings: int = 0
    marks: tuple[int, ...] = ()  # checksums of the first batches
    run: str | None = None  # the folder of its run log
    error: str | None = None
    trace: str = ""


def plans(grid: Mapping[str, Sequence[Any]], seeds: Sequence[int]) -> list[Plan]:
    """Every combination with every seed; the first seed of all comes first, so that an early end leaves pairs."""
    combined = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    pairs = [(settings, seed) for seed in seeds for settings in combined]
    return [Plan(number, settings, seed) for number, (settings, seed) in enumerate(pairs)]


def shown(value: Any) -> str:
    return str(getattr(value, "__name__", value))
