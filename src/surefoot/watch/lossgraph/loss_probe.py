"""Fill in what a backward's loss is: its kind, factor, items, value and the line that computed it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import LossFacts, Site
from surefoot.watch.lossgraph.handwritten import loss_site, term_sites
from surefoot.watch.lossgraph.loss_call import LossCalls, LossLine
from surefoot.watch.lossgraph.node import number
from surefoot.watch.lossgraph.part import Deeper, Part, combine, look_deeper, read_part
from surefoot.watch.lossgraph.picked import IGNORED, picked
from surefoot.watch.lossgraph.root import Terms, terms_of
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

FIRST_BACKWARDS = 32  # read in full wherever the loss lives
FIRST_OF_A_LINE = 16  # likewise, of one line, where that waits for no device
FIRST_LOOKS = 8  # backwards of a loss whose graph is read beyond the root
SPACING = 16  # after these, on other devices, one in so many: reading a value there waits for the device


@dataclass(slots=True)
class Known:
    """A loss seen before, told apart by the line of its backward and the nodes at its root."""

    number: int
    num_backwards: int = 0
    deeper: list[Deeper] = field(default_factory=list)  # by part
    amounts: list[Any] | None = None  # factor and counts of each part at its last backward
    loss: LossFacts | None = None  # the facts of its last backward
    before: LossFacts | None = None  # and of the one before
    last_step: int = -1  # how many steps had been taken then
    wiring: Hashable = None
    was_finite: bool = True


class LossProbe(Probe):
    name = "loss"

    def __init__(self, on_evaluated: Callable[[str, Tensor], None] = lambda kind, loss: None) -> None:
        self._calls = LossCalls(on_evaluated)
        self._known: dict[Hashable, Known] = {}
        self._sites: dict[Site, tuple[Site, list[Site]]] = {}  # by the line of the backward
        self._num_looks: dict[Site | None, int] = {}  # at backwards of each line
        self._called: dict[tuple[Any, ...], Site] = {}  # where terms were computed, by backward, kind, chain and index
        self._written_out: dict[Site, LossLine] = {}  # losses that no function of torch computes
        self._last: Known | None = None
        self._is_pretrained = False  # weights were loaded

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._calls.install(recorder)
        recorder.tap.listen(torch.nn.Module, "load_state_dict", self.name, before=self._loads)

    def _loads(self, args: Any, kwargs: Any) -> None:
        self._is_pretrained = True

    def backward_begins(self, backward: Backward) -> None:
        roots = backward.roots
        if not roots or not all(type(root) is Tensor for root in roots):
            return
        early = backward.ordinal <= FIRST_BACKWARDS or backward.ordinal % SPACING == 0
        on_host = roots[0].device.type == "cpu"
        may_wait = on_host or early
        if all(root.grad_fn is None for root in roots):
            backward.loss = LossFacts(("leaf",), "leaf", site=self._static_site(backward))
            backward.loss_key = "leaf"
            return
        found = terms_of(
            roots, backward.gradient, self._calls.by_sequence, self._recorder.scaler_factors, may_wait=may_wait
        )
        if len(roots) == 1 and may_wait:
            backward.value, backward.given = _value(roots[0], found.scale), found.given
        is_finite = backward.value is None or math.isfinite(backward.value)
        looks = self._num_looks[backward.site] = self._num_looks.get(backward.site, 0) + 1
        is_new = looks <= FIRST_OF_A_LINE
        thorough = early or (on_host and (is_new or self._recorder.accumulates or not is_finite))
        parts = [read_part(term, self._calls.of, thorough=thorough) for term in found.terms]
        for i, part in enumerate(parts):
            part.index = i
            if part.site is not None:
                self._called[backward.site, part.kind, part.chain, i] = part.site
        parts = [part for part in parts if part.kind] or parts
        for part in parts:
            if part.kind == "log-likelihood":
                self._hear_picked(backward, part, len(found.terms))
        known = self._recognise(backward, parts)
        backward.loss = self._facts(known, parts, found, backward)
        backward.loss_key = self._key(known, backward.loss)

    def _hear_picked(self, backward: Backward, part: Part, num_terms: int) -> None:
        """Tell those who listen to cross-entropy of a loss that is the same, written out."""
        site, heard = self._site_of_term(backward, part, num_terms, part.index), picked(part.root)
        if site is None or heard is None:
            return
        place = self._written_out.setdefault(site, LossLine(part.kind, site))
        place.reduction = part.reduction if heard.counts_all else "none"
        for probe, listener in self._recorder.on_training_loss:
            self._recorder.tap.attempt(
                probe, listener, place, {"ignore_index": IGNORED}, heard.prediction, heard.targets
            )

    def _recognise(self, backward: Backward, parts: Sequence[Part]) -> Known:
        """The loss among those seen before. Its first backwards, and the first of each armed stretch, are read deep."""
        what = (backward.site, *[(part.site, part.chain, part.reduction) for part in parts])
        known = self._known.get(what)
        if known is None:
            known = self._known[what] = Known(len(self._known))
        known.num_backwards = num = known.num_backwards + 1
        finite = backward.value is None or math.isfinite(backward.value)
        update = self._recorder.num_steps
        if num <= FIRST_LOOKS or update > known.last_step + 1 or num & (num - 1) == 0 or finite is not known.was_finite:
            known.deeper = look_deeper(parts, finite=finite)
            for deeper in known.deeper:
                deeper["is_pretrained"] = self._is_pretrained
            known.wiring = tuple(
                (
                    bool(deeper["broadcast"]),
                    deeper["late_mask"] is None,
                    *((op.name, op.dim) for op in deeper["fed_by"]),
                )
                for deeper in known.deeper
            )
            known.amounts = None
        known.was_finite = finite
        return known

    def _facts(self, known: Known, parts: Sequence[Part], found: Terms, backward: Backward) -> LossFacts:
        amounts = [found.trunk, *[part.amounts for part in parts]]
        if known.amounts != amounts or known.loss is None:
            known.amounts = amounts
            num_terms = len(found.terms)
            facts = [
                part.facts(deeper, partial(self._site_of_term, backward, part, num_terms))
                for part, deeper in zip(parts, known.deeper, strict=True)
            ]
            known.loss = combine(facts, found.trunk, lambda: self._static_site(backward))
        return known.loss

    def _site_of_term(self, backward: Backward, part: Part, num_terms: int, index: int) -> Site | None:
        """A loss that was computed while nobody listened is where it was before."""
        known = self._called.get((backward.site, part.kind, part.chain, index))
        if known is None and num_terms == 1:  # its nodes may be read otherwise than when its call was heard
            sites = {site for (line, *_), site in self._called.items() if line == backward.site}
            known = sites.pop() if len(sites) == 1 else None
        return known or self._static_site(backward, index, num_terms)

    def _static_site(self, backward: Backward, term: int = 0, num_terms: int = 1) -> Site | None:
        """For losses that no function of torch computed: where the source says that this term of the loss is."""
        site = backward.site
        if site is None:
            return None
        if site not in self._sites:
            self._sites[site] = (loss_site(site), term_sites(site))
        whole, terms = self._sites[site]
        return terms[term] if len(terms) == num_terms > 1 else whole

    def _key(self, known: Known, loss: LossFacts) -> Hashable:
        """Equal for backwards that tell the same, whatever their counts, so that steps are recognised.

        How many items a mean is taken over only matters next to the other micro-batches of the same step.
        """
        same_window = known.last_step == self._recorder.num_steps
        self._recorder.accumulates |= same_window
        differs = same_window and known.before is not loss and not _weighs_same(known.before, loss)
        known.before, known.last_step = loss, self._recorder.num_steps
        self._last = known
        empty = any(part.num_valid == 0 for part in loss.parts)
        return (known.number, _magnitude(loss.factor), differs, empty, known.wiring)


def _weighs_same(a: LossFacts | None, b: LossFacts) -> bool:
    return a is not None and [_weight(part) for part in (a, *a.terms)] == [_weight(part) for part in (b, *b.terms)]


def _weight(part: LossFacts) -> Hashable:
    return part.factor, part.num_items, part.num_kept


def _magnitude(factor: float | None) -> int | None:
    """A factor may be annealed from step to step; its rough size stays."""
    if factor is None or not math.isfinite(factor):
        return None
    return round(math.log2(abs(factor))) if factor else -1000


def _value(root: Tensor, scale: Any) -> float | None:
    value = number(root.detach(), may_wait=True)
    if value is None or scale is None:
        return value
    return None if math.isinf(value) else value / float(scale)  # the scale itself may have made it overflow
