"""What exists: optimizers, models, parameters, and which of them the losses reach.

Parameters that a loss reaches and no optimizer holds are put into the recorder's `unowned` ledger before the
backward runs, so that their gradients are accounted for from the first one on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Parameter

from surefoot.watch.inventory.discovery import explore
from surefoot.watch.inventory.inventory import Inventory
from surefoot.watch.inventory.lineage import Lineage
from surefoot.watch.inventory.origin import watch_origins
from surefoot.watch.inventory.parameter_mark import LOOKS, Marks
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

FIRST_WALKS = 4  # backwards of a line whose graph is walked; then the 8th, 16th, 32nd, …
FIRST_LOOKS = 4  # steps of an optimizer before which values are looked at; then likewise
KNOWN_SIZES = 8  # of the graphs of one line; a line with more has graphs of any size
SMALL = 16  # elements of a plain tensor that may be the weight of a loss
FIRST_OPTIMIZERS = 8  # models are scanned when they are made, to know what came later; more means very many


class SetupProbe(Probe):
    name = "setup"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._marks = Marks()
        self._lineage = Lineage()
        self._inventory = Inventory(recorder, self._marks, self._lineage)
        self._walks: dict[int, _Walks] = {}  # by the identity of the line
        self._news = 0  # counts reasons to walk again
        self._version = -1  # of the tracked optimizers, when their parameters were last looked at
        self._owned: frozenset[int] = frozenset()
        self._has_plain = False  # an optimizer holds tensors that are no `Parameter`
        self._looks_due = 0  # at values, because of parameters that were found late
        watch_origins(recorder, self._marks, self._note_news)

    def _note_news(self) -> None:
        self._news += 1
        self._recorder.setup_due = True

    def optimizer_made(self, tracked: TrackedOptimizer) -> None:
        if self._lineage.made(tracked):
            self._recorder.ask_in_every_window(self, "step_ends")
        if tracked.id <= FIRST_OPTIMIZERS:
            self._inventory.note_made(tracked)

    # --- discovery

    def backward_begins(self, backward: Backward) -> None:
        if self._recorder.optimizers.version != self._version:
            self._learn_owners()
        walks = self._walks.get(id(backward.site))
        if walks is None:
            walks = self._walks[id(backward.site)] = _Walks()
        walks.num_backwards = num = walks.num_backwards + 1
        if walks.is_new(backward.size) or num <= FIRST_WALKS or walks.news != self._news or num & (num - 1) == 0:
            walks.news = self._news
            self._walk(backward)

    def backward_ends(self, backward: Backward) -> None:
        walks = self._walks.get(id(backward.site))
        reached = (backward.reached, backward.num_unowned)
        if walks is not None and walks.reached != reached:
            walks.reached, walks.news = reached, -1

    def _learn_owners(self) -> None:
        for tracked in self._recorder.optimizers.values():
            optimizer = tracked.optimizer()
            if optimizer is not None:
                self._recorder.tracked(optimizer)
        self._version = self._recorder.optimizers.version
        all_tracked = self._recorder.optimizers.values()
        owned = frozenset[int]().union(*(tracked.ids for tracked in all_tracked))
        if owned != self._owned:
            self._owned = owned
            self._has_plain = any(type(p) is torch.Tensor for a in all_tracked for p in a.ledger.params)
            self._marks.forget_order()
            self._note_news()

    def _walk(self, backward: Backward) -> None:
        owned = self._owned
        reach = explore(backward.roots, lambda leaf: id(leaf) in owned)
        known = {id(param) for param in self._recorder.unowned.alive()}
        sharded = self._recorder.names.scan.sharded()
        leaves = {id(param): param for param in sharded if param.requires_grad} if sharded else reach.leaves
        strangers = []
        weights = reach.after_trained - reach.before_trained - reach.beside_trained
        for key, leaf in leaves.items():
            if key not in owned and not self._is_parameter(leaf, weighs=key in weights):
                continue
            mark = self._marks.of(leaf)
            if mark.sees(before=key in reach.before_trained, after=key in reach.after_trained):
                self._recorder.setup_due = True
            if key not in owned and key not in known:
                strangers.append(leaf)
        if strangers:
            self._recorder.unowned.add(strangers)
            self._looks_due = LOOKS
            if not owned.isdisjoint(leaves):
                self._inventory.note_passing(strangers)

    def _is_parameter(self, leaf: Tensor, *, weighs: bool) -> bool:
        """Not an adversarial input or a latent code.

        Where optimizers hold plain tensors, those are parameters too; and so are small ones that weigh losses.
        """
        if isinstance(leaf, Parameter) or self._recorder.names.scan.place(leaf) is not None:
            return True
        if self._has_plain:
            return self._marks.of(leaf).is_seen_again(self._recorder.num_steps)
        return weighs and leaf.numel() <= SMALL and self._marks.of(leaf).stays(leaf, self._recorder.num_steps)

    # --- steps

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        assert tracked is not None, "a step makes the tracked optimizer"
        num = tracked.num_updates
        is_due = num <= FIRST_LOOKS or num & (num - 1) == 0
        if is_due and self._marks.note_trained(p for p in tracked.ledger.params if p.requires_grad):
            self._recorder.setup_due = True
        if is_due or self._looks_due:
            self._looks_due = max(0, self._looks_due - 1)
            unowned = self._recorder.unowned
            if unowned.states and self._marks.inspect(unowned.alive()):
                self._recorder.setup_due = True
            if self._inventory.has_new_misspelling(tracked.ledger.params):
                self._recorder.setup_due = True

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is not None:
            self._lineage.stepped(tracked)

    def setup_facts(self) -> dict[str, Any]:
        self._learn_owners()
        return self._inventory.facts(self._recorder.optimizers.values(), self._owned)


class _Walks:
    """Walks of the graphs that one line backwards."""

    __slots__ = ("news", "num_backwards", "reached", "sizes")

    def __init__(self) -> None:
        self.num_backwards = 0
        self.reached: Any = None  # by the last backward
        self.news = -1  # what was known at the last walk
        self.sizes: set[int] = set()

    def is_new(self, size: int) -> bool:
        """Whether a graph of so many nodes was not seen before: somebody may have thawed something."""
        if size in self.sizes or len(self.sizes) >= KNOWN_SIZES:
            return False
        self.sizes.add(size)
        return True
