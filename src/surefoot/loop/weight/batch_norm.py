"""Batch norm, by its nodes in the graph: also where a model calls the function, and not where modules only evaluate."""

from __future__ import annotations

from torch import Tensor

from surefoot.watch.lossgraph.node import children, name_of, saved

MAX_NODES = 1 << 14
_KINDS = frozenset({"NativeBatchNorm", "CudnnBatchNorm", "MiopenBatchNorm"})


def num_batch_norms(loss: Tensor) -> int:
    """How many normalise by the statistics of this micro-batch."""
    todo, num = [loss.grad_fn], 0
    seen = set(todo)
    for _ in range(MAX_NODES):
        if not todo:
            break
        node = todo.pop()
        if name_of(node) in _KINDS:
            own = saved(node, "input")
            is_of_one_sample = isinstance(own, Tensor) and len(own) == 1  # as in instance norm
            num += bool(getattr(node, "_saved_training", False)) and not is_of_one_sample
        for child in children(node):
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return num
