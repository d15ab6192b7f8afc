"""Which optimizers a backward may reach: with few of them all, with many those whose parameters lie behind the loss."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from surefoot.watch.account import Account, Accounts
from surefoot.watch.lane import Lanes

FEW = 16  # optimizers, all of which are looked at
MOST_NODES = 256  # of a graph that is walked; of a bigger one looking at all optimizers costs little beside it


def accounts_behind(roots: Sequence[Tensor], accounts: Accounts, lanes: Lanes) -> Sequence[Account]:
    reachable = accounts.within_reach(lanes)
    if len(reachable) <= FEW:
        return reachable
    leaves = _leaves(roots)
    if leaves is None:
        return reachable
    among = {account.id for account in reachable} if len(lanes) > 1 else None
    return [account for account in accounts.holding(leaves) if among is None or account.id in among]


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
