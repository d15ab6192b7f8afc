"""The graph behind a loss with the values that it keeps, and those that follow from them; others are unknown."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, cast

import torch
from torch import Tensor

from surefoot.watch.finite.finiteness import plain
from surefoot.watch.finite.origin.operation import FILLING, SPREADING, again, is_harmless, largest_result
from surefoot.watch.graph.walk import MAX_NODES
from surefoot.watch.lossgraph.node import Node, children, name_of, saved, shape_of

LEAF = "AccumulateGrad"
FINE, INFINITE, NAN = 0, 1, 2  # how bad a value is
LIMIT, HALF_LIMIT = 1e30, 6e4  # what is surely below them does not overflow in float32 and bfloat16, in float16
_OPERANDS = ("self", "other")
_INPUTS = frozenset({
    "self", "other", "mat1", "mat2", "input", "target", "weight", "bias", "tensor1", "tensor2", "vec", "batch1",
    "batch2", "running_mean", "running_var", "query", "key", "value", "attn_mask", "condition", "x", "y", "x1", "x2",
})  # fmt: skip


@dataclass(slots=True)
class Value:
    """What is known of a tensor."""

    badness: int
    lowest: float = 0.0
    highest: float = 0.0
    dtype: torch.dtype = torch.float32
    is_exact: bool = True  # else its edges are bounds

    @property
    def is_mask(self) -> bool:
        """Only minus infinity besides finite numbers."""
        return self.badness == INFINITE and self.highest < float("inf")


@dataclass(slots=True)
class KnownOperation:
    """One operation of the forward."""

    node: Node
    operation: str
    inputs: list[Node]  # nodes; those of parameters too
    num_constants: int  # inputs that need no gradient, numbers too
    constants: list[Value] = field(default_factory=list)  # those that are kept
    kept: dict[Any, Value] = field(default_factory=dict)  # inputs by their node
    is_harmless: bool = False  # with these inputs

    @property
    def num_hidden(self) -> int:
        """Inputs of which nothing is known."""
        return max(int(self.operation in FILLING), self.num_constants - len(self.constants))


class KnownValues:
    """All steps behind a root. Holds values of the graph: drop it before the backward runs."""

    def __init__(self, root: Tensor) -> None:
        self.root = root.grad_fn
        self.steps: dict[Any, KnownOperation] = {}
        self.results: dict[Any, Value] = {}
        self.consumers: dict[Any, list[Node]] = {}
        todo: list[Node] = [self.root]
        while todo and len(self.steps) < MAX_NODES:
            node = todo.pop()
            if node in self.steps:
                continue
            inputs = [child for child in children(node) if child is not None]
            self.steps[node] = KnownOperation(node, name_of(node), inputs, len(node.next_functions) - len(inputs))
            for child in inputs:
                self.consumers.setdefault(child, []).append(node)
            todo += inputs
        for step in self.steps.values():
            self._read(step)
        self._note(self.root, value_of(root))
        self.is_half = any(value.dtype is torch.float16 for value in self.results.values())
        self._deduce()

    def _read(self, step: KnownOperation) -> None:
        node = step.node
        if step.operation == LEAF:
            self._note(node, value_of(node.variable))
            return
        kept = {name: saved(node, name) for name in _saved_names(cast("Hashable", type(node)))}
        for name, tensor in kept.items():
            if not isinstance(tensor, Tensor):
                continue
            if not tensor.is_floating_point():
                if name in _OPERANDS and not tensor.dim():  # a whole number that the program wrote
                    step.constants.append(Value(FINE, float(tensor), float(tensor)))
                continue
            value = value_of(tensor)
            if value is None:
                continue
            if tensor.grad_fn is not None:
                self._note(tensor.grad_fn, value)
                if tensor.grad_fn is not node:
                    step.kept[tensor.grad_fn] = value
            elif name in _INPUTS and not tensor.requires_grad:
                step.constants.append(value)
        if step.operation in ("Addmm", "Mm") and kept.get("mat2") is None:
            kept["mat2"] = _transposed_weight(node)
        step.is_harmless = is_harmless(step.operation, kept)
        if node not in self.results and (made := again(step.operation, kept)) is not None:
            value = value_of(made)
            if value is not None and (value.badness or step.operation != "Addmm" or _has_fine_bias(node)):
                self._note(node, value)

    def _note(self, node: Node, value: Value | None) -> None:
        if value is None or (value.badness == FINE and len(node._input_metadata) > 1):
            return  # one of several results says nothing good about the others
        before = self.results.get(node)
        if before is None or value.badness > before.badness:
            self.results[node] = value

    def into(self, step: KnownOperation, child: Node) -> Value | None:
        """What is known of the input that comes from there."""
        return step.kept.get(child) or self.results.get(child)

    def _deduce(self) -> None:
        """Results that are not kept, where the inputs leave no choice; in the order of the forward."""
        limit = HALF_LIMIT if self.is_half else LIMIT
        made = [step for step in self.steps.values() if step.operation != LEAF and step.node not in self.results]
        for step in sorted(made, key=lambda step: step.node._sequence_nr()):
            value = self._deduced(step, limit)
            if value is not None:
                self.results[step.node] = value

    def _deduced(self, step: KnownOperation, limit: float) -> Value | None:
        inputs = [self.into(step, child) for child in step.inputs]
        worst = max((value.badness for value in (*inputs, *step.constants) if value is not None), default=FINE)
        if worst and step.operation in SPREADING:
            return Value(worst, float("-inf"), float("inf"), is_exact=False)
        if worst or step.num_hidden or not inputs or None in inputs or self.is_empty(step):
            return None
        known = [value for value in (*inputs, *step.constants) if value is not None]
        bound = largest_result(step.operation, [(value.lowest, value.highest) for value in known])
        return Value(FINE, -bound, bound, is_exact=False) if bound is not None and bound < limit else None

    def is_empty(self, step: KnownOperation) -> bool:
        """It was given no value at all."""
        shapes = [shape_of(child) for child in step.inputs]
        return any(shape is not None and prod(shape) == 0 for shape in shapes)


def _transposed_weight(node: Node) -> Tensor | None:
    """A linear layer does not keep its weight where its input needs no gradient."""
    last = children(node)[-1]
    leaf = children(last)[0] if last is not None and name_of(last) == "T" else None
    return leaf.variable.detach().T if leaf is not None and name_of(leaf) == LEAF else None


def _has_fine_bias(node: Node) -> bool:
    """What is added to a product is a finite parameter, so that the product alone tells."""
    bias = children(node)[0]
    value = value_of(bias.variable) if bias is not None and name_of(bias) == LEAF else None
    return value is not None and value.badness == FINE


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
