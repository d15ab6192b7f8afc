"""Compare the targets of losses with the token ids behind their predictions, in the first batches of each loss."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import Site
from surefoot.watch.lossgraph.node import Node, name_of, saved, signed
from surefoot.watch.lossgraph.values import is_readable
from surefoot.watch.probe import Probe
from surefoot.watch.seq.align import laid
from surefoot.watch.seq.attention import attention_in, keys_left_out
from surefoot.watch.seq.backprop import nodes_behind
from surefoot.watch.seq.reading import Match, read
from surefoot.watch.seq.target_history import TargetHistory

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.lossgraph.loss_call import LossLine
    from surefoot.watch.recorder import Recorder

KINDS = frozenset({"cross-entropy", "nll", "log-likelihood"})
ENOUGH, MAX_READS = 2, 3  # batches of each loss in which dependence is read off the graph: each costs a backward
MAX_TARGETS = 1 << 20
MANY_BATCHES = 4  # with padding that counts: as many as any rule asks for
MAX_LOOKUPS = 8


class SequenceProbe(Probe):
    name = "sequence"

    def __init__(self) -> None:
        self._histories: dict[tuple[Site | None, str], TargetHistory] = {}
        self._heard: dict[int, TargetHistory] = {}  # in the window that is running, by identity

    def install(self, recorder: Recorder) -> None:
        recorder.on_training_loss.append((self.name, self._hear))

    def _hear(self, place: LossLine, given: dict[str, Any], prediction: Any, targets: Any) -> None:
        if place.kind not in KINDS or not _is_of_tokens(prediction, targets):
            return
        history = self._histories.get((place.site, place.kind))
        if history is None:
            history = self._histories[place.site, place.kind] = TargetHistory(place.site, place.kind)
        history.num_calls += 1
        if history.is_due:
            with torch.no_grad():
                self._look(history, place, given, prediction, targets)
        if history.num_lookups:
            self._heard[id(history)] = history

    def _look(
        self, history: TargetHistory, place: LossLine, given: dict[str, Any], prediction: Tensor, targets: Tensor
    ) -> None:
        nodes = nodes_behind(prediction.grad_fn)
        lookups = [node for node in nodes or () if name_of(node) == "Embedding"]
        if not lookups or len(lookups) > MAX_LOOKUPS:
            return
        history.num_lookups += 1
        ignored = int(given.get("ignore_index", -100))
        left_out = [keys for layer in attention_in(nodes or []) if (keys := keys_left_out(layer)) is not None]
        matches = []
        for number, node in enumerate(sorted(lookups, key=lambda one: one._sequence_nr())):
            ids = saved(node, "indices")
            if not is_readable(ids) or ids.device != targets.device:
                continue
            padding_idx = signed(node._saved_padding_idx)
            is_named = padding_idx is not None and padding_idx >= 0
            padding_idx = padding_idx if is_named else history.guess(number, ids, left_out)
            found, shift = laid(ids, targets, ignored, padding_idx)
            if padding_idx is not None and place.reduction != "none" and (is_named or shift):
                history.add_padding(found, shift, padding_idx, ignored, given.get("weight"), is_named)
                if shift is None and prediction.shape[1] == _num_words(node):
                    history.add_blanks(found, padding_idx, ignored, given.get("weight"))
            if shift is not None:
                matches += [Match(number, node, layout, shift) for layout in found]
        self._compare(history, prediction, matches, nodes or [], targets)

    def _compare(
        self, history: TargetHistory, prediction: Tensor, matches: list[Match], nodes: list[Node], targets: Tensor
    ) -> None:
        if matches and history.num_read < MAX_READS and history.num_told < ENOUGH:
            history.num_read += 1
            found = read(prediction, matches, nodes, targets, history.num_read)
            history.num_told += bool(found)
            for match, one in found:
                history.reads.append(one)
                history.ahead[match.lookup, match.shift] = one.target - one.row
        for key in {(match.lookup, match.shift) for match in matches}:
            history.offsets[history.ahead.get(key, key[1])] += 1

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        return tuple(
            (number, min(history.num_padded, MANY_BATCHES), history.num_read) for number, history in self._heard.items()
        )

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"sequences": tuple(history.facts() for history in self._heard.values())}

    def step_ends(self, optimizer: Optimizer) -> None:
        self._heard.clear()


def _num_words(lookup: Node) -> int | None:
    return signed(getattr(lookup, "_saved_weight_sym_argsize_0", None))


def _is_of_tokens(prediction: Any, targets: Any) -> bool:
    return (
        is_readable(prediction)
        and is_readable(targets)
        and prediction.grad_fn is not None
        and targets.dtype is torch.int64
        and prediction.dim() == targets.dim() + 1
        and 1 < targets.numel() <= MAX_TARGETS
    )
