"""See samples of a batch that get into each other's predictions.

Only two ways are looked for, because many models compare samples on purpose: a view that deals the samples out anew,
and a recurrent layer or attention that takes the batch for time. What a prediction depends on is read off the graph.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import MixedFacts, Site
from surefoot.watch.graph.across import Across, entries, layers_across
from surefoot.watch.lossgraph.node import Node, children, name_of, shape_of
from surefoot.watch.lossgraph.values import is_readable
from surefoot.watch.probe import Probe
from surefoot.watch.seq.backprop import gradients_at, nodes_behind, one_back

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.lossgraph.loss_call import LossLine
    from surefoot.watch.recorder import Recorder

MAX_LOOKS = 3  # batches of each loss
MIN_SAMPLES = 3
FIRST_VALUES = 4
NAMED = 6  # samples carried in a fact
_RESHAPES = frozenset({"View", "UnsafeView", "ReshapeAlias"})
_OF_WEIGHTS = frozenset({"T"})

Gradients = list[tuple[int, Tensor]]  # a sample, and what its prediction sends back


class MixedProbe(Probe):
    name = "mixed"

    def __init__(self) -> None:
        self._num_looks: dict[tuple[Site, str], int] = {}
        self._found: dict[tuple[Site, str], MixedFacts] = {}
        self._heard: set[tuple[Site, str]] = set()  # in the window that is running

    def install(self, recorder: Recorder) -> None:
        recorder.on_training_loss.append((self.name, self._hear))

    def _hear(self, place: LossLine, given: dict[str, Any], prediction: Any, targets: Any) -> None:
        key = (place.site, place.kind)
        if key in self._found:
            self._heard.add(key)
        elif self._num_looks.get(key, 0) < MAX_LOOKS and _has_a_row_for_each(prediction, targets):
            self._num_looks[key] = self._num_looks.get(key, 0) + 1
            with torch.no_grad():
                found = _look(prediction)
            if found is not None:
                sample, others, before, after, cause = found
                self._found[key] = MixedFacts(
                    place.site, place.kind, cause, sample, others[:NAMED], len(others), before, after
                )
                self._heard.add(key)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        return tuple(sorted(map(hash, self._heard)))

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"mixed": tuple(self._found[key] for key in self._found if key in self._heard)}

    def step_ends(self, optimizer: Optimizer) -> None:
        self._heard.clear()


Found = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], str]


def _has_a_row_for_each(prediction: Any, targets: Any) -> bool:
    return (
        is_readable(prediction)
        and is_readable(targets)
        and prediction.grad_fn is not None
        and prediction.dim() > 0
        and targets.dim() > 0
        and len(prediction) == len(targets) >= MIN_SAMPLES
    )


def _look(prediction: Tensor) -> Found | None:
    num = len(prediction)
    nodes = nodes_behind(prediction.grad_fn) or []
    views = [node for node in nodes if name_of(node) in _RESHAPES and _moves_samples(node, num)]
    layers = layers_across(nodes, num)
    if not views and not layers:
        return None
    firsts = {view: _first_behind(view, num) for view in views}
    arrived: dict[Node, Gradients] = {
        node: [] for node in (*views, *(layer.node for layer in layers), *chain(*firsts.values()))
    }
    for sample in (1, num - 1):
        gradients = gradients_at(prediction.grad_fn, prediction.output_nr, _seed(prediction, sample), arrived)
        for node, gradient in (gradients or {}).items():
            if bool(gradient.isfinite().all()):
                arrived[node].append((sample, gradient))
    found = [_by_view(node, arrived[node], num) for node in views if _stay_mixed(firsts[node], arrived, num)]
    found += [_by_time(layer, arrived[layer.node], is_flat=prediction.dim() <= 2) for layer in layers]
    return next((one for one in found if one is not None), None)


def _stay_mixed(firsts: list[Node], arrived: dict[Node, Gradients], num: int) -> bool:
    """Down to the first values: else one view only puts right what another did, or never moved samples at all."""
    for node in firsts:
        for sample, gradient in arrived[node]:
            if any(set(entries(gradient, dim)) <= {sample} for dim in _dims(gradient.shape[:2], num)):
                return False
    return bool(firsts)


def _seed(prediction: Tensor, sample: int) -> Tensor:
    seed = torch.zeros_like(prediction, memory_format=torch.contiguous_format)
    outputs = torch.arange(seed[sample].numel(), device=seed.device, dtype=torch.float32)
    seed[sample] = torch.cos(1.7 * outputs).reshape(seed[sample].shape).to(seed.dtype)
    return seed


def _moves_samples(view: Node, num: int) -> bool:
    """The dimension that has one entry a sample lies elsewhere after it, as if a view could swap two."""
    below = children(view)[0]
    before, after = shape_of(below) if below is not None else None, shape_of(view)
    if before is None or after is None or before[:2].count(num) != 1 or num not in after:
        return False
    in_front = prod(before[: before.index(num)])
    return all(prod(after[:dim]) != in_front for dim in _dims(after, num))


def _dims(shape: Sequence[int], num: int) -> list[int]:
    return [dim for dim, size in enumerate(shape) if size == num]


def _first_behind(view: Node, num: int) -> list[Node]:
    """The first values of the forward behind a view that have a dimension for samples, parameters left out."""
    behind = [node for node in nodes_behind(view) or () if node is not view and name_of(node) not in _OF_WEIGHTS]
    return sorted((node for node in behind if num in (shape_of(node) or ())[:2]), key=_made)[:FIRST_VALUES]


def _made(node: Node) -> int:
    return int(node._sequence_nr())


def _by_view(view: Node, gradients: Gradients, num: int) -> Found | None:
    """After the view a prediction has its own entry alone; before it, that was made of other samples."""
    found: Found | None = None
    for sample, gradient in gradients:
        below = one_back(view, gradient)
        if below is None or all(entries(gradient, dim) != (sample,) for dim in _dims(gradient.shape, num)):
            return None
        before = below[1]
        samples = entries(before, _dims(before.shape, num)[0])
        if set(samples) <= {sample}:
            return None
        found = found or (sample, samples, tuple(before.shape), tuple(gradient.shape), "view")
    return found if len(gradients) > 1 else None


def _by_time(layer: Across, gradients: Gradients, *, is_flat: bool) -> Found | None:
    """A prediction is read at its own moment: of one and the same sequence, or of as many as a sample has tokens."""
    columns = {layer.is_read_at(sample, gradient) for sample, gradient in gradients}
    if len(gradients) < 2 or len(columns) != 1:
        return None
    column = columns.pop()
    if column is None or (layer.cause != "softmax" and len(column) != 1 and not (layer.tokens and is_flat)):
        return None
    sample, gradient = gradients[-1]
    shape = (gradient.shape[layer.time], gradient.shape[layer.batch])
    others = range(sample if layer.cause == "time" else shape[0])
    return sample, tuple(others), shape, shape, layer.cause
