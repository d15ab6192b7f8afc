"""Losses and accuracies epoch by epoch, from every backward of the program, and those on other data."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from surefoot.facts import BackwardFacts, EpochEdgeFacts, Site, ValidationFacts
from surefoot.lab.trace.stage import Accuracy, Epoch, HeldOut, LossCurve

STRETCHES = 10  # into which steps are divided where there are no loaders


@dataclass(slots=True)
class Losses:
    """Of one line of the program."""

    num: int = 0
    first: float = 0.0
    last: float = 0.0
    total: float = 0.0

    def add(self, value: float) -> None:
        if self.num == 0:
            self.first = value
        self.num += 1
        self.last = value
        self.total += value


@dataclass(slots=True)
class Answers:
    """Of a classifier, likewise."""

    num: int = 0
    right: int = 0

    def add(self, right: int, num: int) -> None:
        self.num += num
        self.right += right

    def told(self, site: Site | None, step: int | None = None) -> Accuracy:
        return Accuracy(site, self.num, self.right / self.num, step)


@dataclass(slots=True)
class Stretch:
    first_step: int
    site: Site | None = None  # of the pass's begin
    losses: dict[Site | None, Losses] = field(default_factory=dict)
    answers: dict[Site | None, Answers] = field(default_factory=dict)

    def add(self, site: Site | None, value: float) -> None:
        self.losses.setdefault(site, Losses()).add(value)

    def curves(self) -> tuple[LossCurve, ...]:
        return tuple(LossCurve(site, c.num, c.first, c.last, c.total / c.num) for site, c in self.losses.items())

    def answer(self, site: Site | None, right: int, num: int) -> None:
        self.answers.setdefault(site, Answers()).add(right, num)

    def accuracies(self) -> tuple[Accuracy, ...]:
        return tuple(answers.told(site) for site, answers in self.answers.items())


class Epochs:
    def __init__(self) -> None:
        self._running: dict[tuple[int, int], Stretch] = {}  # by loader and epoch
        self._ended: list[Epoch] = []
        self._all: list[tuple[int, Site | None, float]] = []  # (step, line, loss), where there are no loaders
        self._all_answers: list[tuple[int, Site | None, int, int]] = []  # likewise, with those that are right and all
        self._held_out: list[HeldOut] = []
        self._held_out_answers: dict[tuple[int, Site | None], Answers] = {}  # by step, after which they were given

    def backward(self, fact: BackwardFacts, num_steps: int) -> None:
        if fact.value is None:
            return
        for stretch in self._running.values():
            stretch.add(fact.site, fact.value)
        if not self._running and not self._ended:
            self._all.append((num_steps + 1, fact.site, fact.value))

    def edge(self, fact: EpochEdgeFacts, num_steps: int) -> None:
        key = (fact.loader, fact.epoch)
        if fact.edge == "start":
            self._running[key] = Stretch(num_steps + 1, fact.site)
        elif (stretch := self._running.pop(key, None)) is not None and stretch.losses:
            # A loader that is made anew for each pass goes on with what the one before it began.
            number = 1 + sum(epoch.loader == fact.loader or epoch.site == stretch.site for epoch in self._ended)
            self._ended.append(
                Epoch(
                    fact.loader, number, fact.num_batches, stretch.first_step, num_steps, fact.complete,
                    stretch.curves(), accuracies=stretch.accuracies(), site=stretch.site,
                )
            )  # fmt: skip

    def held_out(self, fact: ValidationFacts) -> None:
        self._held_out.append(HeldOut(fact.index, fact.loss, fact.num_losses, fact.name, fact.kind, fact.site))

    def answered(self, site: Site | None, right: int, num: int, num_steps: int, is_trained: bool) -> None:
        if not is_trained:
            self._held_out_answers.setdefault((num_steps, site), Answers()).add(right, num)
            return
        for stretch in self._running.values():
            stretch.answer(site, right, num)
        if not self._running and not self._ended:
            self._all_answers.append((num_steps + 1, site, right, num))

    def told(self) -> tuple[Epoch, ...]:
        """Those that are over."""
        return tuple(self._with_held_out(self._ended or self._stretches()))

    def _with_held_out(self, epochs: Sequence[Epoch]) -> list[Epoch]:
        losses: dict[int, list[HeldOut]] = {}
        for loss in self._held_out:
            losses.setdefault(_place(epochs, loss.step), []).append(loss)
        accuracies: dict[int, list[Accuracy]] = {}
        for (step, site), answers in self._held_out_answers.items():
            accuracies.setdefault(_place(epochs, step), []).append(answers.told(site, step))
        return [
            replace(
                epoch,
                held_out=tuple(losses.get(i, ())),
                accuracies=(*epoch.accuracies, *accuracies.get(i, ())),
            )
            for i, epoch in enumerate(epochs)
        ]

    def _stretches(self) -> tuple[Epoch, ...]:
        steps = sorted({step for step, _, _ in self._all})
        length = -(-len(steps) // STRETCHES)
        told = []
        for number, start in enumerate(range(0, len(steps), length) if steps else (), 1):
            some = steps[start : start + length]
            stretch = Stretch(some[0])
            for step, site, value in self._all:
                if some[0] <= step <= some[-1]:
                    stretch.add(site, value)
            for step, site, right, num in self._all_answers:
                if some[0] <= step <= some[-1]:
                    stretch.answer(site, right, num)
            told.append(
                Epoch(
                    None, number, None, some[0], some[-1], True, stretch.curves(), accuracies=stretch.accuracies()
                )
            )  # fmt: skip
        return tuple(told)


def _place(epochs: Sequence[Epoch], step: int) -> int:
    """What was computed after a step belongs to the last epoch with that step; before the first, to none: -1."""
    return max((i for i, epoch in enumerate(epochs) if epoch.first_step <= step), default=-1)
