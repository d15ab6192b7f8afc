"""See attention that leaves out the tokens and attends to the padding.

Nothing is listened to: what attention left out is kept in the graph, as the mask of torch's own attention or as the
weights of a softmax that someone wrote.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import torch

from surefoot.facts import MaskFacts, Site
from surefoot.watch.lossgraph.node import Node, name_of, saved, signed
from surefoot.watch.lossgraph.values import is_readable
from surefoot.watch.probe import Probe
from surefoot.watch.seq.attention import attention_in, keys_left_out
from surefoot.watch.seq.backprop import nodes_behind
from surefoot.watch.seq.mask_site import mask_site

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.lossgraph.loss_call import LossLine
    from surefoot.watch.recorder import Recorder

MAX_LOOKS = 4  # batches of each loss
MIN_ROWS = 2  # padded sequences of a batch


class MaskProbe(Probe):
    name = "padding-mask"

    def __init__(self) -> None:
        self._num_looks: dict[Site, int] = {}
        self._found: dict[Site, MaskFacts] = {}
        self._heard: set[Site] = set()  # in the window that is running

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.on_training_loss.append((self.name, self._hear))

    def _hear(self, place: LossLine, given: dict[str, Any], prediction: Any, targets: Any) -> None:
        site = place.site
        num_looks = self._num_looks.get(site, 0)
        if num_looks < MAX_LOOKS and is_readable(prediction) and prediction.grad_fn is not None:
            self._num_looks[site] = num_looks + 1
            with torch.no_grad():
                found = _look(prediction.grad_fn)
            if found is not None:
                before = self._found.get(site)
                line = mask_site(self._recorder) if before is None else before.given
                num_batches = 1 if before is None else before.num_batches + 1
                self._found[site] = MaskFacts(site, *found, num_batches, line)
        if site in self._found:
            self._heard.add(site)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        return tuple(sorted((hash(site), self._found[site].num_batches) for site in self._heard))

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"masks": tuple(facts for site, facts in self._found.items() if site in self._heard)}

    def step_ends(self, optimizer: Optimizer) -> None:
        self._heard.clear()


def _look(root: Node) -> tuple[int, int, int] | None:
    """The padding index, tokens that were left out, and padded positions that were not."""
    nodes = nodes_behind(root) or []
    if not any(name_of(node) == "Embedding" and (signed(node._saved_padding_idx) or 0) >= 0 for node in nodes):
        return None
    for layer in attention_in(nodes):
        left_out = keys_left_out(layer)
        lookups = (
            [] if left_out is None else [node for node in nodes_behind(layer) or () if name_of(node) == "Embedding"]
        )
        for lookup in lookups:
            found = _inverted(left_out, lookup)
            if found is not None:
                return found
    return None


def _inverted(left_out: Any, lookup: Node) -> tuple[int, int, int] | None:
    padding_idx, ids = signed(lookup._saved_padding_idx), saved(lookup, "indices")
    if padding_idx is None or padding_idx < 0 or not is_readable(ids) or ids.dim() != 2:
        return None
    for tokens in (ids, ids.t()):
        num, length = tokens.shape
        if left_out.shape[-1] != length or left_out.shape[0] % num:
            continue
        masked = left_out.reshape(num, -1, length)
        is_padding = tokens == padding_idx
        rows = is_padding.any(1) & ~is_padding.all(1)
        if int(rows.sum()) < MIN_ROWS or len(is_padding[rows].sum(1).unique()) < 2:
            continue
        is_padding = is_padding[rows]
        if bool((masked[rows] == ~is_padding[:, None]).all()):
            return padding_idx, int((~is_padding).sum()), int(is_padding.sum())
    return None
