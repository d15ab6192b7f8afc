"""The course of a run as its sampled steps show it: at first, before and recently."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from surefoot.facts import ParameterSignals, SignalFacts
from surefoot.rules.history import History

AT_FIRST = 8  # sampled steps that show how a run began
IMPROVED = 0.02  # a loss that fell by this share of its size has improved


class Course:
    """All kept sampled steps of one optimizer; the last is the one being judged."""

    def __init__(self, now: SignalFacts, past: History) -> None:
        self.steps: Sequence[SignalFacts] = [*past.signals(now.optimizer), now]

    def __len__(self) -> int:
        return len(self.steps)

    def last(self, number: int) -> Sequence[SignalFacts]:
        return self.steps[-number:]

    def first(self, number: int = AT_FIRST) -> Sequence[SignalFacts]:
        return self.steps[:number]

    def before(self, number: int) -> Sequence[SignalFacts]:
        """All but the last ones."""
        return self.steps[:-number]

    @property
    def first_loss(self) -> float | None:
        """That of the first step, or of the first ones if it is lower."""
        starts = [start for num in (1, 3, AT_FIRST) if (start := middle_loss(self.first(num))) is not None]
        return min(starts) if starts else None

    def improves(self, number: int) -> bool:
        """Whether the loss of the last ones lies below the first ones'; also if it is not known."""
        start, last = self.first_loss, middle_loss(self.last(number))
        return start is None or last is None or last < start - IMPROVED * abs(start)


def middle(steps: Iterable[SignalFacts], number: Callable[[SignalFacts], float | None]) -> float | None:
    """The median of what is known."""
    known = [value for step in steps if (value := number(step)) is not None]
    return median(known) if known else None


def middle_loss(steps: Iterable[SignalFacts]) -> float | None:
    losses = [loss for step in steps for loss in step.losses]
    return median(losses) if losses else None


def update_ratio(step: SignalFacts) -> float | None:
    """Of all parameters together."""
    norm = sum(p.norm**2 for p in step.params) ** 0.5
    return sum(p.update_norm**2 for p in step.params) ** 0.5 / norm if norm else None


def layers(step: SignalFacts) -> list[ParameterSignals]:
    """Weights whose gradients represent their layer: not embedding tables, of which a batch uses only some rows."""
    return [p for p in step.matrices if p.zeros <= 0.5]
