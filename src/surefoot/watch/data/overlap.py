"""How many samples of a pass that only looks at them are among those that the program trains on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.facts import OverlapFacts
from surefoot.watch.data.samples import Source
from surefoot.watch.data.split import Splits

if TYPE_CHECKING:
    from surefoot.watch.data.data_probe import Feed
    from surefoot.watch.epoch import Pass

COMPARED_PASSES = 4  # of each loader: sets of many indices take a while
ENOUGH_TRAINED = 2  # batches
Updates = dict[int, int]  # of each optimizer, by its number


class Overlaps:
    def __init__(self) -> None:
        self._trained: Feed | None = None  # of the pass that was last trained on
        self.splits = Splits()

    def trains(self, feed: Feed) -> None:
        """A batch of it was trained on, and no other loader gave one."""
        known = self._trained
        if feed.num_trained < ENOUGH_TRAINED or feed.is_evaluation or feed is known:
            return
        if feed.source is not None or known is None or known.loader is not feed.loader:
            self._trained = feed  # later passes are not looked at, and draw from the same

    def compare(self, running: Pass, feed: Feed, updates: Updates, num_steps: int) -> OverlapFacts | None:
        """For a pass that ran out without a backward."""
        trained, read = self._trained, feed.source
        if trained is None or trained.source is None or read is None:
            return None
        if feed.epoch > COMPARED_PASSES or not running.exhausted:
            return None
        num_shared = _num_shared(read, trained.source)
        optimizers = tuple(number for number, num in updates.items() if num > trained.updates.get(number, 0))
        if not num_shared:
            return self.splits.compare(read, trained.loader.id, optimizers)
        return OverlapFacts(
            trained.loader.id,
            trained.made,
            trained.loader.length,
            len(read.drawn),
            len(trained.source.drawn),
            optimizers,
            sum(updates[number] for number in optimizers),
            num_steps,
            _is_stored(read),
            num_shared,
        )


def _is_stored(source: Source) -> bool:
    places = source.places()
    return places is not None and places.is_stored


def _num_shared(read: Source, trained: Source) -> int:
    """Samples of the one that are also in the other."""
    if any(trained.states.get(key, state) != state for key, state in read.states.items()):
        return 0
    inner = read.places() if read.drawn else None
    outer = None if inner is None or not inner.places else trained.places()
    if inner is None or outer is None:
        return 0
    shared = len(inner.places & outer.places)
    return len(read.drawn) if shared == len(inner.places) else shared
