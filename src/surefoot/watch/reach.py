"""Which optimizers a backward may reach: with few of them all, with many those whose parameters lie behind the loss."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from surefoot.watch.thread_state import ThreadStates
from surefoot.watch.tracked_optimizer import TrackedOptimizer, TrackedOptimizers

FEW = 16  # optimizers, all of which are looked at
MOST_NODES = 256  # of a graph that is walked; of a bigger one looking at all optimizers costs little beside it


def optimizers_behind(
    roots: Sequence[Tensor], all_tracked: TrackedOptimizers, thread_states: ThreadStates
) -> Sequence[TrackedOptimizer]:
    reachable = all_tracked.within_reach(thread_states)
    if len(reachable) <= FEW:
        return reachable
    leaves = _leaves(roots)
    if leaves is None:
        return reachable
    among = {tracked.id for tracked in reachable} if len(thread_states) > 1 else None
    return [tracked for tracked in all_tracked.holding(leaves) if among is None or tracked.id in among]


def _leaves(roots: Sequence[Tensor]) -> set[int] | None:
    """Identities of the tensors at which the graph ends; None if it is too large to tell."""
    todo = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen = set(todo)
    leaves = {id(root) for root in roots if root.grad_fn is None}
    for node in todo:
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaves.add(id(variable))
        for below, _ in node.next_functions:
            if below is not None and below not in seen:
                seen.add(below)
                todo.append(below)
        if len(todo) > MOST_NODES:
            return None
    return leaves
