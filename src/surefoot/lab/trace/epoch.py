"""Losses epoch by epoch, from every backward of the program, and those on other data."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from surefoot.facts import BackwardFacts, EpochEdgeFacts, Site, ValidationFacts
from surefoot.lab.trace.stage import Epoch, HeldOut, LossCurve

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
class Stretch:
    first_step: int
    site: Site | None = None  # of the pass's begin
    losses: dict[Site | None, Losses] = field(default_factory=dict)

    def add(self, site: Site | None, value: float) -> None:
        self.losses.setdefault(site, Losses()).add(value)

    def curves(self) -> tuple[LossCurve, ...]:
        return tuple(LossCurve(site, c.num, c.first, c.last, c.total / c.num) for site, c in self.losses.items())


class Epochs:
    def __init__(self) -> None:
        self._running: dict[tuple[int, int], Stretch] = {}  # by loader and epoch
        self._ended: list[Epoch] = []
        self._all: list[tuple[int, Site | None, float]] = []  # (step, line, loss), where there are no loaders
        self._held_out: list[HeldOut] = []

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
                    stretch.curves(), site=stretch.site,
                )
            )  # fmt: skip

    def held_out(self, fact: ValidationFacts) -> None:
        self._held_out.append(HeldOut(fact.index, fact.loss, fact.num_losses, fact.name, fact.kind, fact.site))

    def told(self) -> tuple[Epoch, ...]:
        """Those that are over."""
        return tuple(self._with_held_out(self._ended or self._stretches()))

    def _with_held_out(self, epochs: Sequence[Epoch]) -> list[Epoch]:
        """What was computed after a step belongs to the last epoch with that step; before the first, to none."""
        own: dict[int, list[HeldOut]] = {}
        for loss in self._held_out:
            place = max((i for i, epoch in enumerate(epochs) if epoch.first_step <= loss.step), default=None)
            if place is not None:
                own.setdefault(place, []).append(loss)
        return [replace(epoch, held_out=tuple(own.get(i, ()))) for i, epoch in enumerate(epochs)]

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
            told.append(Epoch(None, number, None, some[0], some[-1], True, stretch.curves()))
        return tuple(told)
