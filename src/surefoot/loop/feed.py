"""Draws batches from one loader, epoch by epoch, and can go on where a checkpoint was written.

Nothing is drawn ahead, and no random number is drawn that a plain `for` loop over the loader would not draw.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from surefoot.loop import loader as kind
from surefoot.loop.checkpoint import generator, rng
from surefoot.loop.trail import Trail

# Of loaders whose workers live on: epoch, random states at its start and batches drawn, of each epoch so far. Kept by
# loader, because the workers outlive a feed: a program may make one for each epoch.
_PAST: WeakKeyDictionary[Any, list[dict[str, Any]]] = WeakKeyDictionary()


class Feed:
    """`for epoch in feed.epochs(): for batch in feed.batches(): …`."""

    def __init__(self, loader: kind.Loader, epochs: int | None) -> None:
        kind.check(loader, epochs)
        self.loader = loader
        self.epoch = 0
        self.num_drawn = 0  # in this epoch
        self.last: Any = None  # the batch drawn last
        self.length = kind.length(loader)
        self._num_epochs = epochs
        self._iterator: Iterator[Any] | None = None
        self.has_ended = False  # this epoch
        self._start: dict[str, Any] | None = None  # random states when this epoch began
        self._past = _PAST.setdefault(loader, []) if kind.keeps_workers(loader) else None
        self._trail = Trail(noting=kind.may_remember_draws(loader) and not kind.keeps_own_position(loader))
        self._num_drawn_before = 0  # in the epoch before

    @property
    def is_last(self) -> bool | None:
        """Whether the batch just drawn is the epoch's last; None if the loader has no length."""
        return None if self.length is None else self.num_drawn >= self.length

    def epochs(self) -> Iterator[int]:
        """The numbers of the epochs that are left."""
        while not self.has_ended or self._num_epochs is None or self.epoch + 1 < self._num_epochs:
            if self.has_ended:
                self._advance()
            if self._num_epochs is not None and self.epoch >= self._num_epochs:
                return
            yield self.epoch
            self.has_ended = True

    def batches(self) -> Iterator[Any]:
        """The batches that are left of this epoch."""
        if self._iterator is None:
            self._begin_epoch()
        assert self._iterator is not None
        trail = self._trail
        while True:
            if trail.is_noting:
                trail.before_batch()
            try:
                batch = next(self._iterator)
            except StopIteration:
                break
            if trail.is_noting:
                trail.after_batch(self.num_drawn)
            self.num_drawn += 1
            if self._past is not None:
                self._past[-1]["num_drawn"] = self.num_drawn
            self.last = batch
            yield batch
        self._refuse_exhausted()
        self.has_ended = True

    def state(self) -> dict[str, Any]:
        """Where we are, at any moment between two batches."""
        state: dict[str, Any] = {
            "epoch": self.epoch,
            "num_drawn": self.num_drawn,
            "length": self.length,
            "traits": kind.traits(self.loader),
            "has_ended": self.has_ended,
            "start": self._start,
            "earlier": self._earlier_epochs(),
            "generators": generator.states(generator.find(self.loader)),
            "trail": self._trail.state(),
        }
        if kind.keeps_own_position(self.loader):
            state["loader"] = self.loader.state_dict()  # type: ignore[union-attr]
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on with the very next batch: start the epoch again as it was, and pass over the batches drawn.

        The random states of the process are afterwards as before the call. Put those of the checkpoint back too.
        """
        if state.get("length", self.length) != self.length:  # not told where processes share the data anew
            raise ValueError(
                f"The loader gives {_batches(self.length)} an epoch, but the one of the checkpoint gave "
                f"{_batches(state['length'])}. Resume with the same data, batch size and number of processes."
            )
        self._refuse_other_loader(state)
        self.has_ended = state["has_ended"]
        with rng.unmoved():
            if "loader" in state:
                self.loader.load_state_dict(state["loader"])  # type: ignore[union-attr]
            self._retrace_workers(state["earlier"])
            self.epoch, self.num_drawn = state["epoch"], state["num_drawn"]
            self._trail.load(state["trail"])
            self._tell_lost_trail()
            self._start = state["start"]
            if self._start is not None and (not self.has_ended or kind.keeps_workers(self.loader)):
                self._note_epoch(self.num_drawn)
                self._retrace(self._start, 0 if "loader" in state else self.num_drawn)
            generator.put(generator.find(self.loader), state["generators"])

    def _refuse_other_loader(self, state: Mapping[str, Any]) -> None:
        """In the middle of an epoch, another loader of the same length would pass over other samples."""
        before, now = state.get("traits", {}), kind.traits(self.loader)  # older checkpoints do not tell
        if state["has_ended"] or not state["num_drawn"]:
            return
        for name in before:
            if name in now and before[name] != now[name]:
                raise ValueError(
                    f"The loader has {name} {now[name]!r}, but the one of the checkpoint had {before[name]!r}: its "
                    "place in the epoch would be another one. Resume with the same loader, or from the end of an epoch."
                )

    def _begin_epoch(self) -> None:
        self.num_drawn = 0
        self._trail.begin()
        own = generator.states(generator.find(self.loader))
        self._start = {"process": rng.capture(), "generators": own}
        self._note_epoch(0)
        self._launch()

    def _note_epoch(self, num_drawn: int) -> None:
        if self._past is not None:
            self._past.append({"epoch": self.epoch, "start": self._start, "num_drawn": num_drawn})

    def _earlier_epochs(self) -> list[dict[str, Any]]:
        """What else the workers have done, this epoch left out."""
        past = self._past or []
        return [dict(epoch) for epoch in (past if self._start is None else past[:-1])]

    def _launch(self) -> None:
        kind.tell_epoch(self.loader, self.epoch)
        self._iterator = kind.start(self.loader)

    def _advance(self) -> None:
        self._iterator, self._start = None, None
        self._num_drawn_before, self.num_drawn = self.num_drawn, 0
        self.epoch += 1
        self.has_ended = False

    def _refuse_exhausted(self) -> None:
        if self.num_drawn == 0 and self._num_drawn_before:
            raise ValueError(
                f"The loader gave {_batches(self._num_drawn_before)} in epoch {self.epoch - 1} and none in epoch "
                f"{self.epoch}: it can be run through only once. Pass a DataLoader, a list, or a function that makes "
                f"a new iterator at each call."
            )

    def _retrace_workers(self, earlier: Sequence[Mapping[str, Any]]) -> None:
        """Workers that live on keep their random states, which only they know: let them do all of it again."""
        if earlier:
            warnings.warn(
                f"The workers' random states of {len(earlier)} earlier epochs are made again by loading these epochs, "
                f"because of persistent_workers=True. Without it, only the running epoch is loaded again.",
                stacklevel=3,
            )
        for past in earlier:
            self.epoch, self._start = past["epoch"], past["start"]
            self._note_epoch(past["num_drawn"])
            self._retrace(past["start"], past["num_drawn"])

    def _tell_lost_trail(self) -> None:
        if not self._trail.is_whole:
            warnings.warn(
                f"The loader and the model draw from the same generator, and after {self.num_drawn} batches of one "
                f"epoch not all states are kept: if the loader keeps random choices for later batches, as a shuffle "
                f"buffer does, these may differ from the run that is resumed. Give the loader a generator of its own.",
                stacklevel=3,
            )

    def _retrace(self, start: Mapping[str, Any], num_batches: int) -> None:
        rng.restore(start["process"])
        generator.put(generator.find(self.loader), start["generators"])
        self._launch()
        assert self._iterator is not None
        for index in range(num_batches):
            self._trail.retrace(index)
            try:
                self.last = next(self._iterator)
            except StopIteration:
                raise ValueError(
                    f"The loader ended after {_batches(index)}, but the checkpoint was written after "
                    f"{_batches(num_batches)} of epoch {self.epoch}. Resume with the same data."
                ) from None


def _batches(number: int | None) -> str:
    return "an unknown number of batches" if number is None else f"{number} batch{'' if number == 1 else 'es'}"
