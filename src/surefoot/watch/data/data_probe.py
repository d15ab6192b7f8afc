"""Watch what loaders give: the order of the first batches of the first passes, and what becomes of them.

`EpochProbe` knows of passes and tells us of each batch: most cost a comparison or two.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from torch import is_grad_enabled
from torch.optim import Optimizer
from torch.utils.data import DataLoader
from torch.utils.data._utils import worker as torch_worker
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from surefoot.facts import FeedFacts, Site
from surefoot.watch.data.batch_mark import UNREAD, marks_of, rows_of
from surefoot.watch.data.graph import holds
from surefoot.watch.data.in_place import InPlace, watch_in_place
from surefoot.watch.data.kept_batch import KeptBatch
from surefoot.watch.data.loader import (
    is_shuffled_once,
    names_of,
    names_of_loader,
    num_parts,
    num_samples,
    sampler_kind,
    weights_and_draws,
)
from surefoot.watch.data.overlap import Overlaps
from surefoot.watch.data.samples import Source, source_of
from surefoot.watch.data.worker import Board, watched_loop
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.epoch import EpochProbe, Loader, Pass
    from surefoot.watch.recorder import Recorder

MARKED_PASSES = 4  # of each loader, in which the first four batches, the 8th, the 16th, … are marked
OPENED_PASSES = 16  # in which the first batch is
FIRST_BATCHES = 4
LOOKS = 3  # at graphs, where several loaders give a batch each
NUM_BOARDS = 8  # passes with workers that are asked for their random states
KEPT_SITES = 256


class Feed:
    """What is known of one pass while it runs."""

    __slots__ = (
        "board", "called", "epoch", "in_place", "is_evaluation", "is_known", "kind", "loader", "made", "marks", "names",
        "num_looks", "num_parts", "num_samples", "num_trained", "num_workers", "rows", "shuffled_once",
        "source", "updates", "weights_and_draws",
    )  # fmt: skip

    def __init__(self, loader: Loader, epoch: int, updates: dict[int, int]) -> None:
        self.loader = loader
        self.epoch = epoch
        self.updates = updates  # of each optimizer, when it began
        self.kind = ""
        self.made: Site | None = None
        self.names: tuple[str, ...] = ()
        self.called: tuple[str, ...] = ()
        self.source: Source | None = None  # which samples it draws from
        self.in_place: InPlace | None = None  # what it holds, and whether getting samples changes it
        self.shuffled_once = False
        self.num_samples: int | None = None
        self.weights_and_draws: tuple[int, int] | None = None
        self.num_parts = 1
        self.num_workers = 0
        self.board: Board | None = None
        self.marks: list[tuple[int, tuple[int, ...]]] = []
        self.rows: frozenset[int] = frozenset()  # of the first batch
        self.num_trained = 0  # batches upon which a backward followed
        self.num_looks = 0  # for a batch of it in a graph
        self.is_evaluation = False  # a batch was taken under `no_grad`
        self.is_known = False  # its first batch is that of the pass before, and was counted as such

    @property
    def last_marks(self) -> set[int]:
        return {mark for mark in self.marks[-1][1] if mark != UNREAD}

    def is_marked(self, number: int) -> bool:
        if self.epoch > MARKED_PASSES:
            return number == 1 and self.epoch <= OPENED_PASSES
        return number <= FIRST_BATCHES or number & (number - 1) == 0


class DataProbe(Probe):
    name = "data"

    def __init__(self, epochs: EpochProbe) -> None:
        epochs.listener = self
        self._made: dict[int, tuple[weakref.ref[Any], Site | None]] = {}  # loaders by id
        self._board: Board | None = None  # of the workers that are being started
        self._num_boards = 0
        self._givers: list[Feed] = []  # that gave a batch since the last backward before the last batch
        self._num_backwards = 0  # when the last batch was given
        self._kept: KeptBatch | None = None
        self._former: KeptBatch | None = None  # before the last batch was given
        self._newest: dict[int, int] = {}  # the last pass of each loader
        self._overlaps = Overlaps()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.tap.listen(DataLoader, "__init__", self.name, after=self._note_made)
        recorder.tap.listen(_MultiProcessingDataLoaderIter, "__init__", self.name, before=self._put_up_board)
        recorder.tap.replace(torch_worker, "_worker_loop", lambda original: watched_loop(original, self._its_board))

    def _note_made(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        loader = args[0]
        if len(self._made) > KEPT_SITES:
            self._made = {key: known for key, known in self._made.items() if known[0]() is not None}
        self._made[id(loader)] = (weakref.ref(loader), self._recorder.sites.here())

    def _put_up_board(self, args: Any, kwargs: Any) -> None:
        loader: DataLoader[Any] = args[1] if len(args) > 1 else kwargs["loader"]
        self._board = None
        if loader.num_workers > 0 and self._num_boards < NUM_BOARDS:
            self._num_boards += 1
            self._board = Board()

    def _its_board(self) -> Board | None:
        return self._board

    # --- what the epoch probe tells

    def starts(self, running: Pass, loader: DataLoader[Any]) -> Feed:
        feed = Feed(running.loader, running.epoch, self._updates())
        self._newest[running.loader.id] = running.epoch
        feed.board, self._board = self._board, None
        if running.epoch > OPENED_PASSES:
            return feed
        known = self._made.get(id(loader))
        feed.made = known[1] if known is not None and known[0]() is loader else None
        feed.kind = sampler_kind(loader)
        feed.num_samples = num_samples(loader)
        feed.weights_and_draws = weights_and_draws(loader)
        feed.num_parts = num_parts(loader)
        feed.num_workers = loader.num_workers
        self._overlaps.splits.pass_starts(self._recorder.num_steps)
        frame, is_user = sys._getframe(2), self._recorder.sites.is_user
        if feed.kind == "sequential":
            feed.shuffled_once = is_shuffled_once(loader)
            feed.names = names_of(loader, frame, is_user)
        feed.in_place = watch_in_place(running, loader, is_user)
        feed.source = source_of(loader)
        if feed.source is not None:
            feed.called = names_of_loader(loader, frame, is_user)
        return feed

    def fetches(self, feed: Feed) -> None:
        if feed.in_place is not None:
            feed.in_place.fetches()

    def gives(self, running: Pass, feed: Feed, batch: Any) -> None:
        if feed.in_place is not None:
            feed.in_place.fetched(batch)
        self._credit()
        self._recorder.last_loader = feed.made
        if feed not in self._givers:
            self._givers.append(feed)
        if not is_grad_enabled():
            feed.is_evaluation = True
        elif self._kept is not None:
            self._kept, self._former = None, self._kept
        if feed.epoch <= OPENED_PASSES and feed.is_marked(running.num_batches):
            feed.marks.append((running.num_batches, marks_of(batch)))
            feed.rows = feed.rows or rows_of(batch)
            former = self._former
            if running.num_batches == 1 and former is not None and former.is_late and not feed.is_evaluation:
                feed.is_known = former.is_taken_again(running.loader.id, feed.marks[0][1])
                self._kept = former if feed.is_known else self._kept

    def ends(self, running: Pass, feed: Feed) -> FeedFacts:
        self._credit()
        self._keep(running, feed)
        now = self._updates()
        in_place = None if feed.in_place is None else feed.in_place.facts()
        feed.in_place = None  # it holds the data
        overlap = None
        num_weights, num_draws = feed.weights_and_draws or (None, None)
        if feed.num_trained >= 2 and not feed.is_evaluation:
            self._overlaps.splits.pass_ends(feed, self._recorder)
        if self._recorder.num_backwards == running.num_backwards:
            overlap = self._overlaps.compare(running, feed, now, self._recorder.num_steps)
        return FeedFacts(
            feed.kind, feed.made, feed.names, feed.shuffled_once, feed.num_samples,
            trained=not feed.is_evaluation and feed.num_trained >= min(2, running.num_batches) > 0,
            num_weights=num_weights,
            num_draws=num_draws,
            optimizers=tuple(number for number, num in now.items() if num > feed.updates.get(number, 0)),
            marks=tuple(feed.marks),
            num_workers=feed.num_workers,
            num_parts=feed.num_parts,
            shared_generators=() if feed.board is None else feed.board.shared_generators(),
            workers=() if feed.board is None else feed.board.workers(),
            called=feed.called,
            overlap=overlap,
            in_place=in_place,
        )  # fmt: skip

    def _credit(self) -> None:
        """If there was a backward since, the batch before it was trained on: if one loader gave it, that is sure."""
        num_backwards = self._recorder.num_backwards
        if num_backwards != self._num_backwards:
            self._num_backwards = num_backwards
            if len(self._givers) == 1:
                self._givers[0].num_trained += 1
                self._overlaps.trains(self._givers[0])
            self._givers.clear()

    def _keep(self, running: Pass, feed: Feed) -> None:
        """The program left the loader after one batch, perhaps to use that one for good."""
        length = running.loader.length
        only_one = running.num_batches == 1 and not running.exhausted and length is not None and length > 1
        if not only_one or not feed.marks or feed.is_evaluation or feed.is_known or length is None:
            return
        number, marks, former = running.loader.id, feed.marks[0][1], self._former
        if former is not None and former.is_taken_again(number, marks):
            self._kept = former
        elif any(marks):
            self._kept = KeptBatch(number, length, running.site, marks, feed.rows, self._recorder.num_steps)
            if feed.num_trained and self._newest[number] > running.epoch:
                self._kept.is_late = True
                self._kept.num_seen = 1

    def _updates(self) -> dict[int, int]:
        return {tracked.id: tracked.num_updates for tracked in self._recorder.optimizers.values()}

    # --- looking for batches in the graph of the loss

    def backward_begins(self, backward: Backward) -> None:
        if len(self._givers) > 1:  # which of them is trained on?
            for feed in self._givers:
                if feed.num_looks < LOOKS and feed.marks:
                    feed.num_looks += 1
                    feed.num_trained += holds(backward.roots, feed.last_marks)
        kept, num_steps = self._kept, self._recorder.num_steps
        if kept is None or not kept.is_due(num_steps):
            return
        if not kept.look(backward.roots, num_steps):
            self._kept = None

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        kept = self._kept
        if kept is None:
            return None
        if id(optimizer) not in kept.trainers and not self._trains_a_model(optimizer):
            self._kept = None
            return None
        kept.trainers.add(id(optimizer))
        return kept.loader if kept.is_proven(self._recorder.num_steps) else None

    def _trains_a_model(self, optimizer: Optimizer) -> bool:
        """Not an image or an attack that is optimised while the model stays as it is."""
        names = self._recorder.names
        param = next((param for group in optimizer.param_groups for param in group["params"]), None)
        if param is None:
            return False
        names.of(param)  # has the models looked through, if it is unknown
        return names.scan.place(param) is not None

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        kept, num_steps = self._kept, self._recorder.num_steps
        return {"same_batch": kept.facts(num_steps)} if kept is not None and kept.is_proven(num_steps) else {}

    def end_facts(self) -> dict[str, Any]:
        kept, num_steps = self._kept, self._recorder.num_steps
        return {"same_batch": kept.facts(num_steps)} if kept is not None and kept.is_likely(num_steps) else {}
