"""From the root of a backward down to the losses in it, with the constants on the way."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from surefoot.watch.lossgraph.node import VIEWS, Node, children, is_scalar, name_of, number, saved, shape_of

MAX_NODES = 256  # looked at near the root: a loss added up over a long sequence has one node a term
REDUCERS = frozenset({"Mean", "Sum"})


@dataclass(slots=True)
class Term:
    """One of the losses that are added up at the root. Lives only while the graph is looked at."""

    node: Node
    factor: float | None
    chain: tuple[str, ...]


@dataclass(slots=True)
class Terms:
    terms: list[Term]
    trunk: float | None  # the factor that all of them share, above the place where they are added
    scale: Any  # what a GradScaler multiplied the loss by, None without one
    given: float | None  # the gradient that the last root was given, in `factor` and `trunk`, too


def terms_of(
    roots: Sequence[Tensor], gradients: Any, known: Container[int], scales: Mapping[int, Any], *, may_wait: bool
) -> Terms:
    """The losses in `roots`, leaving out roots that are leaves.

    `known` holds the sequence numbers of nodes that are a loss by themselves, whatever lies under them; `scales` those
    of nodes by which a GradScaler scaled a loss.
    """
    walk = _Walk(known, scales, may_wait)
    given: float | None = 1.0
    for i, root in enumerate(roots):
        node = root.grad_fn
        if node is None:
            continue
        given = _factor_of_gradient(_gradient(gradients, i), root, may_wait)
        walk.down(node, given, ())
    return Terms(walk.terms, walk.trunk, walk.scale, given)


def _gradient(gradients: Any, i: int) -> Any:
    if isinstance(gradients, (tuple, list)):
        return gradients[i] if i < len(gradients) else None
    return gradients


def _factor_of_gradient(gradient: Any, root: Tensor, may_wait: bool) -> float | None:
    if gradient is None:
        return 1.0
    if gradient.numel() == 1:
        return number(gradient.detach().reshape(()), may_wait=may_wait)
    if gradient.device.type != "cpu" or gradient.numel() > 4096:
        return None
    low, high = gradient.detach().aminmax()
    return float(low) if bool(low == high) else None


class _Walk:
    def __init__(self, known: Container[int], scales: Mapping[int, Any], may_wait: bool) -> None:
        self.terms: list[Term] = []
        self.trunk: float | None = 1.0
        self.scale: Any = None
        self._known = known
        self._scales = scales
        self._may_wait = may_wait
        self._left = MAX_NODES

    def down(self, node: Node, factor: float | None, chain: tuple[str, ...]) -> None:
        todo = [(node, factor, chain)]
        while todo:
            node, factor, chain = todo.pop()
            self._left -= 1
            name = name_of(node)
            chain = (*chain[-7:], name)
            below = None
            if self._left > 0 and node._sequence_nr() not in self._known:
                below = self._below(name, node, factor)
            if not todo and not self.terms:
                self.trunk = factor
            if below:
                todo += [(child, f, chain) for child, f in reversed(below)]
            else:
                self.terms.append(Term(node, factor, chain))

    def _below(self, name: str, node: Node, factor: float | None) -> list[tuple[Node, float | None]]:
        """The arguments that carry on, each with its factor; nothing when the node itself is a loss."""
        if name in REDUCERS:
            return self._below_reducer(name, node, factor)
        if name == "Neg":
            return [(children(node)[0], _times(factor, -1.0))] if is_scalar(node) else []
        if name in ("Mul", "Div"):
            return self._below_product(name, node, factor)
        if name in ("Add", "Sub", "Rsub"):
            return self._below_sum(name, node, factor)
        inner = [child for child in children(node) if child is not None]
        if name in VIEWS:
            return [(inner[0], factor)] if inner and _keeps_size(node, inner[0]) else []
        # Something else done to a scalar: a square root, an exponential weight.
        if (
            inner
            and is_scalar(node)
            and all(is_scalar(child) and name_of(child) != "AccumulateGrad" for child in inner)
        ):
            return [(child, None) for child in inner]
        return []

    def _below_product(self, name: str, node: Node, factor: float | None) -> list[tuple[Node, float | None]]:
        arguments = children(node)
        if self._scales and node._sequence_nr() in self._scales:  # a scaler's factor is not the user's
            self.scale = self._scales[node._sequence_nr()]
            return [(arguments[0], factor)]
        if len(arguments) == 2 and None not in arguments:
            return [(child, None) for child in arguments] if all(map(is_scalar, arguments)) else []
        if arguments[0] is None:
            if name == "Div":
                return []
            child, value = arguments[1], saved(node, "self")
        else:
            child, value = arguments[0], saved(node, "other")
        constant = number(value, may_wait=self._may_wait)
        if constant is None:
            return [(child, None)] if is_scalar(node) and is_scalar(child) else []
        if name == "Div":
            return [(child, _times(factor, 1.0 / constant) if constant else None)]
        return [(child, _times(factor, constant))]

    def _below_sum(self, name: str, node: Node, factor: float | None) -> list[tuple[Node, float | None]]:
        if not is_scalar(node):
            return []
        alpha = saved(node, "alpha")
        alpha = float(alpha) if isinstance(alpha, (int, float)) else 1.0
        arguments = children(node)
        signs = (1.0, alpha) if name == "Add" else (1.0, -alpha) if name == "Sub" else (-alpha, 1.0)
        pairs = zip(arguments, signs, strict=False)
        return [(child, _times(factor, sign)) for child, sign in pairs if child is not None]

    def _below_reducer(self, name: str, node: Node, factor: float | None) -> list[tuple[Node, float | None]]:
        child = children(node)[0]
        if child is None or not is_scalar(node):
            return []
        if is_scalar(child):
            return [(child, factor)]
        if name_of(child) in ("Stack", "Cat"):  # torch.stack(losses).mean()
            parts = [part for part in children(child) if part is not None]
            if parts and all(is_scalar(part) for part in parts):
                share = 1.0 if name == "Sum" else 1.0 / len(children(child))
                return [(part, _times(factor, share)) for part in parts]
        return []


def _times(factor: float | None, by: float) -> float | None:
    return None if factor is None else factor * by


def _keeps_size(node: Node, child: Node) -> bool:
    mine, below = shape_of(node), shape_of(child)
    return mine is not None and below is not None and _size(mine) == _size(below)


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
