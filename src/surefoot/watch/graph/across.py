"""Layers that run over the samples of a batch: recurrent ones, attention, softmaxes that take it for another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from torch import Tensor

from surefoot.watch.lossgraph.node import Node, name_of, saved, shape_of, signed
from surefoot.watch.lossgraph.values import is_readable
from surefoot.watch.seq.backprop import nodes_behind

_RECURRENT = frozenset({"MkldnnRnnLayer", "CudnnRnn", "MiopenRnn"})
_WEIGHTS = frozenset({"Softmax", "SafeSoftmax"})


@dataclass(frozen=True, slots=True)
class Across:
    """A layer whose `time` has one entry a sample, and whose `batch` has not."""

    node: Node
    cause: str
    time: int  # dimensions of its result
    batch: int
    tokens: bool  # its batch is the length of token ids that have one row a sample

    def is_read_at(self, sample: int, gradient: Tensor) -> tuple[int, ...] | None:
        """The entries of its batch from which the prediction of a sample is read, at the sample's own moment alone."""
        if entries(gradient, self.time) != (sample,):
            return None
        return entries(gradient, self.batch)


def layers_across(nodes: Sequence[Node], num: int) -> list[Across]:
    recurrent = [node for node in nodes if name_of(node) in _RECURRENT]
    found = [
        Across(node, "time", 0, 1, _length_of_tokens(node, num) == shape[1])
        for node in recurrent
        if len(shape := shape_of(node) or ()) == 3 and shape[0] == num != shape[1] > 1
    ]
    return found + _attention_across(nodes, num) + _softmax_across(nodes, num)


def _softmax_across(nodes: Sequence[Node], num: int) -> list[Across]:
    """Over samples that have branches in front of them and channels behind: one of these was meant to compete.

    Where samples are the first dimension, or single scores are compared, weights over samples may be what is wanted.
    """
    found = []
    for node in nodes:
        shape = shape_of(node) or ()
        dim = signed(saved(node, "dim")) if name_of(node) in _WEIGHTS and shape.count(num) == 1 else None
        if dim is not None and shape[dim] == num:
            dim %= len(shape)
            if prod(shape[:dim]) > 1 and prod(shape[dim + 1 :]) > 1:
                found.append(Across(node, "softmax", dim, 0, tokens=False))
    return found


def _attention_across(nodes: Sequence[Node], num: int) -> list[Across]:
    """None if any attention runs over something else: then this one is there to compare samples."""
    layers = [(node, shape) for node in nodes if (shape := _attention_shape(node)) is not None]
    if not all(length == num != batch > 1 for batch, length in (shape for _, shape in layers)):
        return []
    return [
        Across(node, "attention", 2, 0, _length_of_tokens(node, num) == batch)
        for node, (batch, _) in layers
        if _mixes(node)
    ]


def _attention_shape(node: Node) -> tuple[int, int] | None:
    """The batch and the length of attention of a sequence to itself, with heads in the dimension between."""
    shape = shape_of(node) or ()
    if len(shape) != 4:
        return None
    if name_of(node).startswith("ScaledDotProduct"):
        return shape[0], shape[2]
    return (shape[0], shape[2]) if name_of(node) in _WEIGHTS and shape[2] == shape[3] > 1 else None


def _mixes(node: Node) -> bool:
    """Nothing keeps positions apart."""
    if name_of(node) in _WEIGHTS:
        weights: Any = saved(node, "result")
        return bool(is_readable(weights) and (weights != 0).all())
    return saved(node, "attn_mask") is None and saved(node, "attn_bias") is None


def _length_of_tokens(node: Node, num: int) -> int | None:
    """Of the token ids behind a layer that have one row a sample; None without such, or if lookups differ."""
    lengths = set()
    for lookup in nodes_behind(node) or ():
        ids: Any = saved(lookup, "indices") if name_of(lookup) == "Embedding" else None
        if is_readable(ids) and ids.dim() == 2 and len(ids) == num:
            lengths.add(int(ids.shape[1]))
    return lengths.pop() if len(lengths) == 1 else None


def entries(gradient: Tensor, dim: int) -> tuple[int, ...]:
    """Along a dimension, those that are not zero."""
    rest = [d for d in range(gradient.dim()) if d != dim]
    return tuple(
        (gradient != 0).sum(rest).nonzero().flatten().tolist() if rest else gradient.nonzero().flatten().tolist()
    )
