"""Where a gradient of zeros comes from: functions that are flat everywhere, or nodes that pass on nothing but zeros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.watch.graph.single import softmax_over_one

if TYPE_CHECKING:
    from surefoot.watch.tap import Tap

MAX_NODES = 5_000  # of a graph that is walked
NEAR = 64  # nodes from the loss down that are asked
FLAT = {"Round": "round", "Floor": "floor", "Ceil": "ceil", "Trunc": "trunc", "Sign": "sign"}


def behind_steps(roots: Sequence[Tensor], wanted: Mapping[int, Tensor]) -> dict[str, list[Tensor]]:
    """Those of the leaves that a loss depends on through functions that are flat only, by the name of the function."""
    starts = [root.grad_fn for root in roots if root.grad_fn is not None]
    smooth, steps, whole = _walk(starts, stop_at_steps=True)
    if not steps or not whole:
        return {}
    found: dict[str, list[Tensor]] = {}
    for name, nodes in steps.items():
        leaves, _, whole = _walk(nodes, stop_at_steps=False)
        behind = [wanted[key] for key in leaves.keys() - smooth.keys() if key in wanted]
        if behind and whole:
            found[name] = behind
    return found


def _walk(starts: list[Any], *, stop_at_steps: bool) -> tuple[dict[int, Any], dict[str, list[Any]], bool]:
    """Leaves by identity, step functions by name, and whether that is all."""
    todo, seen = list(starts), set(starts)
    leaves: dict[int, Any] = {}
    steps: dict[str, list[Any]] = {}
    for node in todo:
        if stop_at_steps and (flat := FLAT.get(_operation(node)) or softmax_over_one(node)):
            steps.setdefault(flat, []).append(node)
            continue
        if (leaf := getattr(node, "variable", None)) is not None:
            leaves[id(leaf)] = leaf
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
        if len(todo) > MAX_NODES:
            return leaves, steps, False
    return leaves, steps, True


class GradientEnd:
    """Listens to one backward for the node at which its gradient ends."""

    def __init__(self, roots: Sequence[Tensor], tap: Tap) -> None:
        self._running = True
        self._found: set[str] = set()
        for node in _near([root.grad_fn for root in roots if root.grad_fn is not None]):
            self._watch(node, tap)

    def _watch(self, node: Any, tap: Tap) -> None:
        name = _operation(node)

        def ran(sent: Any, given: Any) -> None:
            tap.run("zeros", self._see, name, sent, given)

        node.register_hook(ran)

    def _see(self, name: str, sent: Sequence[Any], given: Sequence[Any]) -> None:
        if self._running and _any(given) and not _any(sent):
            self._found.add(name)

    def stop(self) -> str:
        """The operation; "" if there are several or none."""
        self._running = False  # the graph may be kept and run again
        return next(iter(self._found)) if len(self._found) == 1 else ""


def _any(gradients: Sequence[Any]) -> bool:
    return any(isinstance(g, Tensor) and bool(g.count_nonzero()) for g in gradients)


def _operation(node: Any) -> str:
    return str(type(node).__name__).partition("Backward")[0]


def _near(nodes: list[Any]) -> list[Any]:
    seen, near = set(nodes), list(nodes)
    for node in near:
        for child, _ in node.next_functions if len(near) < NEAR else ():
            if child is not None and child not in seen and child.next_functions:
                seen.add(child)
                near.append(child)
    return near
