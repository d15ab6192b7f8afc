"""Which operations made the prediction that a loss was given."""

from typing import Any

import torch
from torch import Tensor

from surefoot.facts import OpFacts
from surefoot.watch.lossgraph.node import VIEWS, Node, below_views, children, name_of, saved, shape_of, signed

MAX_OPS = 4
MAX_NODES = 32
_SOFTMAXES = frozenset({"Softmax", "LogSoftmax", "SafeSoftmax"})
_CARRY_ON = _SOFTMAXES | {"Logsumexp", "Log", "Max", "Amax"}  # what lies under these matters too
_PRODUCTS = frozenset({"Mm", "Bmm", "Convolution"})
_CLAMPS = frozenset({"Clamp", "ClampMin", "ClampMax"})
_LOSSES_OF_A_DIFFERENCE = frozenset({"Abs", "Pow", "Mul"})


def fed_by(node: Node, kind: str) -> tuple[OpFacts, ...]:
    """The operations under the loss `node`, the last one first, as far as they tell something."""
    if kind == "cross-entropy" and not name_of(node).startswith("NllLoss"):
        start = _descend(node, first=True, until="LogSoftmax")
    elif kind == "kl":
        start = _input_of_kl(node)
    elif kind == "log-likelihood":
        start = node
    elif name_of(node) in _LOSSES_OF_A_DIFFERENCE:
        difference = below_views(_child(node))
        start = _child(difference) if difference is not None else None
    else:
        start = _child(node)
    return operations(start)


def operations(node: Node | None) -> tuple[OpFacts, ...]:
    found: list[OpFacts] = []
    through: list[str] = []
    for _ in range(MAX_NODES):
        if node is None or len(found) == MAX_OPS:
            break
        name = _name(node)
        if name in VIEWS or _passes(name, node):
            through.append(name)
        else:
            shape = shape_of(node) or ()
            if name == "Exp" and (log := _log_softmax_under(node)) is not None:
                name, node = "Softmax", log
            dim = signed(saved(node, "dim")) if name in _SOFTMAXES else None
            if name == "Logsumexp":
                shape, dim = _of_logsumexp(node)
            found.append(OpFacts(name, shape, dim + len(shape) if dim is not None and dim < 0 else dim, tuple(through)))
            through = []
            if name not in _CARRY_ON:
                break
        node = _child(node)
    return tuple(found)


def _of_logsumexp(node: Node) -> tuple[tuple[int, ...], int | None]:
    """The shape of what it adds up, and the dimension."""
    scores, dims = saved(node, "self"), saved(node, "dim")
    shape = tuple(scores.shape) if isinstance(scores, Tensor) else ()
    return shape, signed(dims[0]) if isinstance(dims, tuple) and len(dims) == 1 else None


def _log_softmax_under(node: Node) -> Node | None:
    below = below_views(_child(node))
    return below if below is not None and name_of(below) == "LogSoftmax" else None


def _child(node: Node, *, first: bool = True) -> Node | None:
    inner = [child for child in children(node) if child is not None]
    return (inner[0] if first else inner[-1]) if inner else None


def _name(node: Node) -> str:
    """The node's name; `"Relu"` for every spelling of one, `"Linear"` for a layer that adds its bias itself."""
    name = name_of(node)
    if name in _CLAMPS and saved(node, "min") == 0 and saved(node, "max") is None:
        return "Relu"
    if (name == "Hardtanh" and saved(node, "min_val") == 0) or (name == "Threshold" and saved(node, "threshold") == 0):
        return "Relu"
    if name == "Maximum" and _is_zero(saved(node, "self" if children(node)[0] is None else "other")):
        return "Relu"
    if name == "Add" and _adds_bias(node):
        return "Linear"
    return name


@torch.no_grad()
def _is_zero(constant: Any) -> bool:
    return isinstance(constant, Tensor) and constant.is_cpu and not bool(constant.any())


def _adds_bias(node: Node) -> bool:
    below = [below_views(child) for child in children(node)]
    names = {name_of(child) for child in below if child is not None}
    return len(below) == 2 and "AccumulateGrad" in names and not _PRODUCTS.isdisjoint(names)


def _passes(name: str, node: Node) -> bool:
    """Leaves a probability one: clamped, picked out, a small constant added, several of one kind put together."""
    if name in _CLAMPS or name == "Gather":
        return True
    arguments = children(node)
    if name == "Add":
        return None in arguments
    if name in ("Stack", "Cat"):
        names = {name_of(below) for child in arguments if (below := below_views(child)) is not None}
        return len(names) == 1
    return False


def _descend(node: Node | None, *, first: bool, until: str) -> Node | None:
    for _ in range(8):
        if node is None or name_of(node) == until:
            return node
        node = _child(node, first=first)
    return None


def _input_of_kl(node: Node | None) -> Node | None:
    """`kl_div` multiplies and subtracts, in either order; the input is the last argument of both."""
    for _ in range(3):  # the reduction
        if node is None or name_of(node) in ("Mul", "Sub"):
            break
        node = _child(node)
    for _ in range(2):
        if node is None or name_of(node) not in ("Mul", "Sub"):
            return None
        node = _child(node, first=False)
    return node
