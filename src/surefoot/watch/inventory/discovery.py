"""Walk the autograd graph behind a loss: which leaves it reaches, and which of them lie before or behind others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

MAX_NODES = 50_000  # about 50 ms; behind that the walk gives up and what it has found so far counts

# Functions of one tensor that read other data too: what they return is an activation, no spelling of the parameter.
_LOOKUPS = ("Embedding", "Index", "Gather", "Take")


@dataclass(slots=True)
class Reach:
    """What one backward can reach."""

    leaves: dict[int, Tensor] = field(default_factory=dict)
    before_trained: set[int] = field(default_factory=set)  # ids of leaves whose output a trained one works on
    after_trained: set[int] = field(default_factory=set)  # ids of leaves that work on a trained one's output
    beside_trained: set[int] = field(default_factory=set)  # ids of leaves that a trained one works on directly
    whole: bool = True  # False when the graph was too large


def explore(roots: Iterable[Tensor], is_trained: Callable[[Tensor], bool]) -> Reach:
    nodes, whole = children_first([root.grad_fn for root in roots if root.grad_fn is not None])
    reach = Reach(whole=whole)
    _look_down(nodes, reach, is_trained)
    return reach


def children_first(starts: list[Any]) -> tuple[dict[Any, list[Any]], bool]:
    """Nodes with their children, each after all of its children."""
    children: dict[Any, list[Any]] = {}
    order: dict[Any, list[Any]] = {}
    stack = [(node, False) for node in starts]
    while stack:
        node, done = stack.pop()
        if done:
            order[node] = children[node]
            continue
        if node in children:
            continue
        if len(children) >= MAX_NODES:
            return order, False
        below = children[node] = [child for child, _ in node.next_functions if child is not None]
        stack.append((node, True))
        stack += [(child, False) for child in below if child not in children]
    return order, True


def _look_down(nodes: dict[Any, list[Any]], reach: Reach, is_trained: Callable[[Tensor], bool]) -> None:
    leaf_of: dict[Any, Tensor] = {}  # nodes that are one leaf, perhaps transposed or squashed
    holds_trained: set[Any] = set()
    trained_at: set[Any] = set()  # operations that take a trained leaf
    for node, children in nodes.items():
        leaf = _leaf(node, children, leaf_of)
        if leaf is not None:
            leaf_of[node] = leaf
            reach.leaves[id(leaf)] = leaf
            if is_trained(leaf):
                holds_trained.add(node)
            continue
        if not holds_trained.isdisjoint(children):
            holds_trained.add(node)
        leaves = [leaf_of[child] for child in children if child in leaf_of]
        if not leaves:
            continue
        if any(child in holds_trained and child not in leaf_of for child in children):
            reach.after_trained.update(id(leaf) for leaf in leaves)
        if any(is_trained(leaf) for leaf in leaves):
            trained_at.add(node)
            reach.beside_trained.update(id(leaf) for leaf in leaves if not is_trained(leaf))
    _look_up(nodes, reach, leaf_of, trained_at)


def _look_up(nodes: dict[Any, list[Any]], reach: Reach, leaf_of: dict[Any, Tensor], trained_at: set[Any]) -> None:
    before: set[Any] = set()  # nodes on whose output a trained leaf works
    for node in reversed(nodes):
        children = nodes[node]
        if node in before:
            before.update(children)
            if node in leaf_of:
                reach.before_trained.add(id(leaf_of[node]))
        elif node in trained_at:
            before.update(child for child in children if child not in leaf_of)


def _leaf(node: Any, children: list[Any], leaf_of: dict[Any, Tensor]) -> Tensor | None:
    if not children:
        variable = getattr(node, "variable", None)
        return variable if isinstance(variable, Tensor) else None
    if len(children) == 1 and len(node.next_functions) == 1 and not type(node).__name__.startswith(_LOOKUPS):
        return leaf_of.get(children[0])
    return None
