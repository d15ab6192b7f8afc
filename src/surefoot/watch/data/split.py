"""Data sets that are split anew while one model goes on training: what was trained on once is evaluated later.

Known by loaders that are made again and again at one line for parts of a data set. Which samples they gave is kept for
a few passes, and forgotten as soon as the weights are not those with which the last pass ended, as where each fold of a
cross-validation begins with the first weights.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils.data import Subset

from surefoot.facts import OverlapFacts, Site
from surefoot.watch.data.samples import Place, Source, length_of

if TYPE_CHECKING:
    from surefoot.watch.data.data_probe import Feed
    from surefoot.watch.recorder import Recorder

KEPT = 2  # passes
MOST_PASSES = 6  # that are looked at
MOST_SAMPLES = 200_000  # of a part
WEIGHTS = 8  # parameters of an optimizer that are compared
ELEMENTS = 32  # of each


@dataclass(slots=True)
class Trained:
    """One pass of training over a part of a data set."""

    loader: int
    made: Site
    length: int | None
    optimizers: tuple[int, ...]
    places: set[Place]


class Splits:
    def __init__(self) -> None:
        self._former: deque[Trained] = deque(maxlen=KEPT)
        self._num_loaders: Counter[Site] = Counter()  # that trained, by the line that made them
        self._weights: list[tuple[Tensor, Tensor]] = []  # some, and what they were when the last pass ended
        self._num_steps = 0  # at that moment

    def pass_ends(self, feed: Feed, recorder: Recorder) -> None:
        """It was trained on."""
        all_tracked = [a for a in recorder.optimizers.values() if a.num_updates > feed.updates.get(a.id, 0)]
        if feed.epoch == 1:
            self._keep(feed, tuple(tracked.id for tracked in all_tracked))
        if not self._former:
            return
        params = [param for tracked in all_tracked for param in tracked.ledger.params if param.requires_grad]
        chosen = params[:: max(1, len(params) // WEIGHTS)]
        self._weights = [(param, _sample(param)) for param in chosen]
        self._num_steps = recorder.num_steps

    def _keep(self, feed: Feed, optimizers: tuple[int, ...]) -> None:
        made, source = feed.made, feed.source
        if made is None or source is None or not _is_part(source):
            return
        self._num_loaders[made] += 1
        if 1 < self._num_loaders[made] <= MOST_PASSES:
            found = source.places()
            if found is not None and (found.is_stored or _holds_samples(source)):
                self._former.append(Trained(feed.loader.id, made, feed.loader.length, optimizers, found.places))

    def pass_starts(self, num_steps: int) -> None:
        if not self._former:
            return
        same = num_steps == self._num_steps  # else it was trained otherwise, or is in the middle of a pass
        if not same or not all(torch.equal(_sample(param), before) for param, before in self._weights):
            self._former.clear()

    def compare(self, read: Source, loader: int, optimizers: tuple[int, ...]) -> OverlapFacts | None:
        """For an evaluation of samples that the present loader does not train on."""
        former = [one for one in self._former if one.loader != loader and set(one.optimizers) == set(optimizers)]
        found = read.places() if former and _is_part(read) else None
        if found is None or not (found.is_stored or _holds_samples(read)):
            return None
        shared, one = max(((len(found.places & one.places), one) for one in former), key=lambda pair: pair[0])
        if not shared:
            return None
        return OverlapFacts(
            one.loader, one.made, one.length, len(read.drawn), len(one.places), optimizers,
            num_shared=shared, is_earlier=True,
        )  # fmt: skip


def _is_part(source: Source) -> bool:
    return type(source.dataset()) is Subset and len(source.drawn) <= MOST_SAMPLES


def _holds_samples(source: Source) -> bool:
    """Whether the whole data set has an entry for each sample: it does not make them up."""
    dataset: Any = source.dataset()
    while type(dataset) is Subset:
        dataset = dataset.dataset
    length = length_of(dataset)
    if length is None:
        return False
    held = [value for value in getattr(dataset, "__dict__", {}).values() if isinstance(value, Sized)]
    return any(_length(value) == length for value in held if not isinstance(value, str))


def _length(value: Any) -> int:
    return -1 if isinstance(value, Tensor) and not value.ndim else len(value)


def _sample(param: Tensor) -> Tensor:
    return param.detach().reshape(-1)[:ELEMENTS].to("cpu", copy=True)
