"""Terms that depend on parameters and on no item: the same in every micro-batch, whatever it weighs."""

from __future__ import annotations

from torch.nn import Parameter

from surefoot.watch.lossgraph.node import Node, children, name_of, number, saved

MAX_NODES = 1 << 14  # a penalty over all parameters of a large model has a few nodes for each
# Operations without data of their own. An index, a mask or a constant tensor may come from the batch.
_WITHOUT_DATA = frozenset({
    "Add", "Sub", "Rsub", "Mul", "Div", "Neg", "Pow", "Abs", "Sqrt", "Exp", "Log", "Log1P", "Sum", "Mean", "Prod",
    "LinalgVectorNorm", "Norm", "Stack", "Cat", "View", "UnsafeView", "ReshapeAlias", "T", "Transpose", "Permute",
    "Squeeze", "Unsqueeze", "Expand", "Clone", "ToCopy", "Alias", "Mm", "Bmm", "Mv", "Dot", "Softplus", "Sigmoid",
    "Tanh", "Relu", "Select", "Slice", "Unbind", "Split", "Clamp", "ClampMin", "ClampMax", "ForeachNorm",
})  # fmt: skip


def is_item_free(node: Node) -> bool:
    """Whether only parameters and plain numbers lie under `node`."""
    todo, seen = [node], {node}
    for _ in range(MAX_NODES):
        if not todo:
            return True
        node = todo.pop()
        name = name_of(node)
        if name == "AccumulateGrad":
            if not isinstance(node.variable, Parameter):
                return False
            continue
        if name not in _WITHOUT_DATA or not _constants_are_numbers(name, node):
            return False
        for child in children(node):
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return False


def _constants_are_numbers(name: str, node: Node) -> bool:
    arguments = children(node)
    if None not in arguments:
        return True
    if name in ("Mul", "Div"):
        constant = saved(node, "self" if arguments[0] is None else "other")
        return number(constant, may_wait=True) is not None
    shape = node._input_metadata[0].shape  # sums do not keep what is added; to one number it is no item's
    return name in ("Add", "Sub", "Rsub") and len(shape) == 0
