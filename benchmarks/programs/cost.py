"""From the CPU seconds of four runs to what watching costs; and what it may cost."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FIXED_MARK = 0.5  # seconds a run
MEMORY_MARK = 60.0  # MB


def ratio_mark(step_ms: float) -> float:
    """What one more step may cost: 1.10 up to 1 ms, 1.02 from 10 ms, between them linear in log(ms)."""
    decades = math.log10(min(max(step_ms, 1.0), 10.0))
    return 1.10 - 0.08 * decades


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a program: four runs. CPU in seconds, memory in MB."""

    short_bare: float
    short_watched: float
    long_bare: float
    long_watched: float
    peak_bare: float
    peak_watched: float
    load: float = 0.0  # of the machine when it began: processes that run or wait for a core
    num_cores: int = 0  # that the runs could use
    together: bool = False  # the four ran at the same time


@dataclass(frozen=True, slots=True)
class Figure:
    """The median over the rounds, with the least and the largest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Figure":
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Cost:
    step_ms: Figure  # bare
    ratio: Figure  # of one more step
    extra_us: Figure  # of one more step
    fixed_seconds: Figure  # of a run
    memory_mb: Figure  # extra peak
    num_rounds: int

    @property
    def misses(self) -> list[str]:
        found = {
            "step": self.ratio.median > ratio_mark(self.step_ms.median),
            "fixed cost": self.fixed_seconds.median > FIXED_MARK,
            "memory": self.memory_mb.median > MEMORY_MARK,
        }
        return [name for name, missed in found.items() if missed]


def cost(rounds: Sequence[Round], short: int, long: int) -> Cost:
    """Each figure is computed within a round, whose runs were neighbours in time."""

    def figure(of: Callable[[Round], float]) -> Figure:
        return Figure.of([of(one) for one in rounds])

    def bare(one: Round) -> float:
        return (one.long_bare - one.short_bare) / (long - short)

    def watched(one: Round) -> float:
        return (one.long_watched - one.short_watched) / (long - short)

    def fixed(one: Round) -> float:
        return one.short_watched - one.short_bare - (watched(one) - bare(one)) * short

    return Cost(
        step_ms=figure(lambda one: 1e3 * bare(one)),
        ratio=figure(lambda one: watched(one) / bare(one)),
        extra_us=figure(lambda one: 1e6 * (watched(one) - bare(one))),
        fixed_seconds=figure(fixed),
        memory_mb=figure(lambda one: one.peak_watched - one.peak_bare),
        num_rounds=len(rounds),
    )
