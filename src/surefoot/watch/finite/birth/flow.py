"""The graph behind a loss with the values that it keeps: which results are finite, which are not, which are unknown."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, cast

import torch
from torch import Tensor

from surefoot.watch.finite.birth.operation import again, is_harmless
from surefoot.watch.finite.finiteness import plain
from surefoot.watch.graph.walk import MAX_NODES
from surefoot.watch.lossgraph.node import Node, children, name_of, saved, shape_of

LEAF = "AccumulateGrad"
FINE, INFINITE, NAN = 0, 1, 2  # how bad a value is
_RESULTS = ("result", "output", "result0", "result1", "out", "norm")


@dataclass(slots=True)
class Value:
    """What is known of a tensor."""

    badness: int
    lowest: float = 0.0
    highest: float = 0.0
    dtype: torch.dtype = torch.float32

    @property
    def is_mask(self) -> bool:
        """Only minus infinity besides finite numbers."""
        return self.badness == INFINITE and self.highest < float("inf")


@dataclass(slots=True)
class Step:
    """One operation of the forward."""

    node: Node
    operation: str
    inputs: list[Node]  # nodes; those of parameters too
    has_constants: bool  # inputs that need no gradient, whether kept or not
    constants: list[Value] = field(default_factory=list)  # those that are kept
    kept: dict[Any, Value] = field(default_factory=dict)  # inputs by their node
    is_harmless: bool = False  # with these inputs


class Flow:
    """All steps behind a root. Holds values of the graph: drop it before the backward runs."""

    def __init__(self, root: Tensor) -> None:
        self.root = root.grad_fn
        self.steps: dict[Any, Step] = {}
        self.results: dict[Any, Value] = {}
        self.consumers: dict[Any, list[Node]] = {}
        todo: list[Node] = [self.root]
        while todo and len(self.steps) < MAX_NODES:
            node = todo.pop()
            if node in self.steps:
                continue
            inputs = [child for child in children(node) if child is not None]
            self.steps[node] = Step(node, name_of(node), inputs, len(inputs) < len(node.next_functions))
            for child in inputs:
                self.consumers.setdefault(child, []).append(node)
            todo += inputs
        for step in self.steps.values():
            self._read(step)
        self._note(self.root, value_of(root))

    def _read(self, step: Step) -> None:
        node = step.node
        if step.operation == LEAF:
            self._note(node, value_of(node.variable))
            return
        kept = {name: saved(node, name) for name in _saved_names(cast("Hashable", type(node)))}
        for name, tensor in kept.items():
            if not isinstance(tensor, Tensor) or not tensor.is_floating_point():
                continue
            value = value_of(tensor)
            if value is None:
                continue
            if tensor.grad_fn is not None:
                self._note(tensor.grad_fn, value)
                if tensor.grad_fn is not node:
                    step.kept[tensor.grad_fn] = value
            elif name not in _RESULTS and not tensor.requires_grad:
                step.constants.append(value)
        step.is_harmless = is_harmless(step.operation, kept)
        if node not in self.results and (made := again(step.operation, kept)) is not None:
            self._note(node, value_of(made))

    def _note(self, node: Node, value: Value | None) -> None:
        before = self.results.get(node)
        if value is not None and (before is None or value.badness > before.badness):  # a node may have several results
            self.results[node] = value

    def badness(self, node: Node) -> int:
        """Of its result. One that is not kept is as bad as the worst of what went into it."""
        todo, seen, worst = [node], {node}, FINE
        while todo:
            one = todo.pop()
            known = self.results.get(one)
            if known is not None:
                worst = max(worst, known.badness)
                continue
            step = self.steps.get(one)
            if step is None:
                continue
            worst = max([worst, *[value.badness for value in step.constants]])
            for child in step.inputs:
                if child not in seen:
                    seen.add(child)
                    todo.append(child)
        return worst

    def is_empty(self, step: Step) -> bool:
        """It was given no value at all."""
        shapes = [shape_of(child) for child in step.inputs]
        return any(shape is not None and prod(shape) == 0 for shape in shapes)


@cache
def _saved_names(kind: Hashable) -> tuple[str, ...]:
    names = (name.removeprefix("_saved_") for name in dir(kind) if name.startswith("_saved_"))
    return tuple(name for name in names if "_sym_" not in name)


def value_of(tensor: Tensor) -> Value | None:
    """None if there is nothing to look at."""
    with torch.no_grad():
        values = plain(tensor)
        if values.is_meta or not values.is_floating_point() or values.dtype.itemsize == 1 or not values.numel():
            return None
        if bool(values.isnan().any()):
            return Value(NAN, dtype=values.dtype)
        low, high = (float(edge) for edge in values.aminmax())
    is_finite = abs(low) < float("inf") and abs(high) < float("inf")
    return Value(FINE if is_finite else INFINITE, low, high, values.dtype)
