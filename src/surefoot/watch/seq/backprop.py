"""A vector-Jacobian product by hand: which values behind a prediction does it depend on?

The nodes of the graph are called one by one. Unlike `torch.autograd.grad` that fires no hook of the program, fills no
`.grad` that it retains, frees nothing and needs no tensor. Where a node would run code of the program (a function of
its own, a checkpoint that computes its forward again), nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from surefoot.watch.exception import is_the_programs
from surefoot.watch.lossgraph.node import Node, is_packed

MAX_NODES = 4000  # about 50 ms, beside what the operations themselves take
MAX_ELEMENTS = 1 << 28  # of all results behind the loss
_GENERATED = re.compile(r"\w+Backward\d+")
_WRITTEN = frozenset({"CopySlices", "torch::autograd::CopySlices", "torch::autograd::CopyBackwards"})
_LEAF = "torch::autograd::AccumulateGrad"


def nodes_behind(root: Node) -> list[Node] | None:
    """All nodes behind a prediction, leaves left out; None if they are too many."""
    todo, seen = [root], {root}
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is not None and child not in seen and child.name() != _LEAF:
                seen.add(child)
                todo.append(child)
        if len(seen) > MAX_NODES:
            return None
    return list(seen)


def gradients_at(root: Node, output: int, seed: Tensor, wanted: Iterable[Node]) -> dict[Node, Tensor] | None:
    """What arrives at the wanted nodes if `seed` is backpropagated from the root; None if that can't be told."""
    nodes = nodes_behind(root)
    if nodes is None or torch.is_deterministic_algorithms_warn_only_enabled():  # its warnings would come twice
        return None
    ends = set(wanted)
    order = between(root, ends)
    if root not in order or sum(map(_size, order)) > MAX_ELEMENTS:
        return None
    try:
        if not all(map(_is_plain, order - ends)):
            return None
        with torch.no_grad(), torch._C._DisableAutocast():
            return _backpropagate(root, output, seed, order, ends)
    except RuntimeError as error:  # freed, changed in place since, or not differentiable
        if is_the_programs(error):
            raise
        return None


def one_back(node: Node, gradient: Tensor) -> tuple[Node, Tensor] | None:
    """The node below and what arrives there, where there is only one."""
    below = [(child, i) for i, (child, _) in enumerate(node.next_functions) if child is not None]
    if len(below) != 1 or len(node._input_metadata) != 1:
        return None
    (child, i) = below[0]
    try:
        if not _is_plain(node):
            return None
        with torch.no_grad(), torch._C._DisableAutocast():
            results = node(gradient)
            found = results[i] if isinstance(results, tuple) else results
            return None if found is None else (child, _fitted(found, child, node.next_functions[i][1]))
    except RuntimeError as error:
        if is_the_programs(error):
            raise
        return None


def between(root: Node, ends: set[Node]) -> set[Node]:
    """The nodes between the root and the ends, both included."""
    found: dict[Node, bool] = {}
    todo = [(root, False)]
    while todo:
        node, is_left = todo.pop()
        below = [child for child, _ in node.next_functions if child is not None and child.name() != _LEAF]
        if is_left:
            found[node] = node in ends or any(found.get(child, False) for child in below)
        elif node not in found:
            found[node] = False
            todo.append((node, True))
            todo += [(child, False) for child in below if child not in found]
    return {node for node, is_between in found.items() if is_between}


def _backpropagate(root: Node, output: int, seed: Tensor, order: set[Node], ends: set[Node]) -> dict[Node, Tensor]:
    waiting: dict[Node, int] = dict.fromkeys(order, 0)
    for node in order:
        for child, _ in node.next_functions:
            if child in order:
                waiting[child] += 1
    arrived: dict[Node, list[Tensor | None]] = {root: _nothing(root)}
    arrived[root][output] = seed
    found: dict[Node, Tensor] = {}
    ready = [root]
    while ready:
        node = ready.pop()
        given = arrived.pop(node, None)
        if node in ends and given is not None and given[0] is not None:
            found[node] = given[0]
        results: Any = (None,) * len(node.next_functions)
        if given is not None and any(child in order for child, _ in node.next_functions):
            results = node(*given)
            results = results if isinstance(results, tuple) else (results,)
        for (child, number), gradient in zip(node.next_functions, results, strict=True):
            if child not in order:
                continue
            if gradient is not None:
                slots = arrived.setdefault(child, _nothing(child))
                gradient, before = _fitted(gradient, child, number), slots[number]
                slots[number] = gradient if before is None else before + gradient
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return found


def _nothing(node: Node) -> list[Tensor | None]:
    return [None] * len(node._input_metadata)


def _fitted(gradient: Tensor, node: Node, number: int) -> Tensor:
    """As torch's engine does: what was broadcast is summed up, and has the type of the value."""
    like = node._input_metadata[number]
    if tuple(gradient.shape) != tuple(like.shape):
        gradient = gradient.sum_to_size(tuple(like.shape))
    return gradient.to(like.dtype)


def _size(node: Node) -> int:
    return sum(prod(map(int, like.shape)) for like in node._input_metadata)


def _is_plain(node: Node) -> bool:
    """An operation of torch whose tensors are at hand: no function of the program, in Python, C++ or TorchScript."""
    if not _is_builtin(node.name()):
        return False
    kind: Any = type(node)
    return all(_is_at_hand(node, name) for name in _kept(kind))


@cache
def _is_builtin(name: str) -> bool:
    """Nodes that torch generates have a number at their end."""
    return _GENERATED.fullmatch(name) is not None or name in _WRITTEN


@cache
def _kept(kind: type) -> tuple[str, ...]:
    start = "_raw_saved_"
    return tuple(name.removeprefix(start) for name in dir(kind) if name.startswith(start))


def _is_at_hand(node: Node, name: str) -> bool:
    if is_packed(getattr(node, f"_raw_saved_{name}")):
        return False
    value = getattr(node, f"_saved_{name}")
    for one in value if isinstance(value, tuple) else (value,):
        if one is None:
            continue
        if type(one) not in (Tensor, Parameter) or one.layout is not torch.strided or one.is_meta:
            return False
        if one.numel() and not one.untyped_storage().nbytes():  # FSDP frees what it has gathered
            return False
    return True
