"""Optimizers made again over the same parameters: who followed whom, and was anything lost."""

import weakref
from dataclasses import dataclass

from torch import Tensor
from torch.nn import Parameter

from surefoot.facts import Site
from surefoot.watch.inventory.parameter_mark import sample
from surefoot.watch.tracked_optimizer import TrackedOptimizer

KEPT_ANCESTORS = 8
KEPT_LINES = 256  # sets of parameters remembered; programs that make more make models all the time


@dataclass(slots=True)
class Generation:
    """One optimizer of a line. Its first parameter stands for all."""

    tracked: TrackedOptimizer
    first: "weakref.ref[Tensor]"
    memory: int  # where the first parameter lies
    ancestors: tuple[int, ...] = ()
    values: str = ""  # of the first parameter after the last step, in a suspicious line

    @property
    def id(self) -> int:
        return self.tracked.id


class Lineage:
    """Knows the newest optimizer of each set of parameters, also when it is gone."""

    def __init__(self) -> None:
        self._newest: dict[frozenset[int], Generation] = {}
        self._by_id: dict[int, Generation] = {}

    def made(self, tracked: TrackedOptimizer) -> bool:
        """An optimizer is new; whether its line is suspicious, so that `stepped` is to be told of every step."""
        if not tracked.ledger.params:
            return False
        first = tracked.ledger.params[0]
        born = Generation(tracked, weakref.ref(first), _memory(first))
        old = self._newest.get(tracked.ids)
        if old is not None and self._continues(old, first, tracked.site):
            born.ancestors = (*old.ancestors[1 - KEPT_ANCESTORS :], old.id)
        if old is not None:
            self._by_id.pop(old.id, None)
        self._newest[tracked.ids] = self._by_id[tracked.id] = born
        if len(self._newest) > KEPT_LINES:
            gone = self._newest.pop(next(iter(self._newest)))
            self._by_id.pop(gone.id, None)
        return bool(born.ancestors)

    def _continues(self, old: Generation, first: Tensor, site: Site | None) -> bool:
        """The same line of code made the old one, which lost its state, and nobody set the model back in between."""
        tracked = old.tracked
        if old.first() is not first or tracked.site != site or not tracked.was_stateful:
            return False
        same = tracked.version_left == first._version and old.memory == _memory(first)
        return same and (not old.values or old.values == sample(first))

    def stepped(self, tracked: TrackedOptimizer) -> None:
        """Values are only read in a suspicious line."""
        generation = self._by_id.get(tracked.id)
        first = None if generation is None or not generation.ancestors else generation.first()
        if generation is not None and first is not None:
            generation.values = sample(first)

    def ancestors(self, tracked: TrackedOptimizer) -> tuple[int, ...]:
        generation = self._by_id.get(tracked.id)
        return () if generation is None else generation.ancestors


def _memory(param: Tensor) -> int:
    """It changes when a model is moved or given other values."""
    return param.data_ptr() if type(param) is Parameter and not param.is_meta else 0
