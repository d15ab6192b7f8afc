"""Where an operation stands: in the module whose parameter it uses, or between two that have some."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from torch import Tensor
from torch.nn import Module, Sequential

from surefoot.watch.inventory.module import named_modules, part
from surefoot.watch.lossgraph.node import VIEWS, Node, name_of

if TYPE_CHECKING:
    from surefoot.watch.finite.origin.known_values import KnownValues
    from surefoot.watch.name import Names

LEAF = "AccumulateGrad"
_SPELLED = {"Div": r"/|\bdiv", "Pow": r"\*\*|\bpow", "LinalgVectorNorm": r"\bnorm", "Norm": r"\bnorm"}


class Places:
    def __init__(self, names: Names) -> None:
        self._names = names

    def name(self, param: Tensor) -> str:
        return self._names.of(param)

    def of(self, flow: KnownValues, node: Node) -> tuple[str, str, str]:
        """The module, and those with parameters just before and behind; "" for what can't be told."""
        own = self._nearest(node, lambda one: [c for c in flow.steps[one].inputs if one is node or _is_view(one)])
        if own is not None:
            return self._label(own), "", ""
        before = self._nearest(node, lambda one: flow.steps[one].inputs)
        behind = self._behind(flow, node)
        after_name, before_name = self._label(before), self._label(behind)
        return self._between(before, behind, name_of(node)), after_name, before_name

    def _nearest(self, node: Node, onward: Callable[[Node], list[Node]]) -> Tensor | None:
        """The parameter that is the fewest operations away."""
        level, seen = [node], {node}
        while level:
            below = []
            for one in level:
                for child in onward(one):
                    if name_of(child) == LEAF:
                        param: Tensor = child.variable
                        return param
                    if child not in seen:
                        seen.add(child)
                        below.append(child)
            level = below
        return None

    def _behind(self, flow: KnownValues, node: Node) -> Tensor | None:
        """The parameter that is used first on what the operation made."""
        level, seen = [node], {node}
        while level:
            above = []
            for one in level:
                for consumer in flow.consumers.get(one, ()):
                    if consumer in seen:
                        continue
                    seen.add(consumer)
                    above.append(consumer)
                    others = [child for child in flow.steps[consumer].inputs if child is not one]
                    found = [param for child in others if (param := _parameter(flow, child)) is not None]
                    if found:
                        return found[0]
            level = above
        return None

    def _label(self, param: Tensor | None) -> str:
        if param is None:
            return ""
        _, module = self._module(param)
        name = self._names.of(param)
        return name.rpartition(".")[0] or (name if module is None else type(module).__name__)

    def _between(self, before: Tensor | None, behind: Tensor | None, operation: str) -> str:
        """The one module without parameters that a Sequential runs between the two, and that may run the operation."""
        model, first = self._module(before)
        _, last = self._module(behind)
        if model is None or first is None or last is None:
            return ""
        for path, one in named_modules(model):
            inside = [(f"{path}.{name}" if path else name, child) for name, child in part(one, "_modules").items()]
            at = [id(child) for _, child in inside]
            if type(one) is Sequential and id(first) in at and id(last) in at:
                bare = [(name, child) for name, child in inside[at.index(id(first)) + 1 : at.index(id(last))] if child]
                fitting = [name for name, child in bare if _may_run(cast("Hashable", type(child)), operation)]
                return fitting[0] if len(fitting) == 1 else ""
        return ""

    def _module(self, param: Tensor | None) -> tuple[Module | None, Module | None]:
        place = None if param is None else self._names.scan.place(param)
        if place is None or place.root < 0:
            return None, None
        return self._names.scan.roots[place.root](), place.module()


def _parameter(flow: KnownValues, node: Node) -> Tensor | None:
    while _is_view(node):
        inputs = flow.steps[node].inputs
        if len(inputs) != 1:
            return None
        node = inputs[0]
    return node.variable if name_of(node) == LEAF else None


def _is_view(node: Node) -> bool:
    return name_of(node) in VIEWS


@cache
def _may_run(kind: Any, operation: str) -> bool:
    """Whether the class is named after the operation, or its forward spells it."""
    if operation.lower() in kind.__name__.lower():
        return True
    try:
        source = inspect.getsource(kind.forward)
    except (OSError, TypeError, AttributeError):
        return False
    pattern = _SPELLED.get(operation, rf"\b{re.escape(snake(operation))}_?\(")
    return re.search(pattern, source) is not None


def snake(operation: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation).lower()


def readable(operation: str) -> str:
    """As people spell it: `Addmm` is what a linear layer runs."""
    return _READABLE.get(operation, snake(operation))


_READABLE: dict[str, str] = {
    "Addmm": "linear",
    "Log1P": "log1p",
    "Mm": "matmul",
    "Bmm": "matmul",
    "LinalgVectorNorm": "norm",
    "ToCopy": "to",
    "NativeLayerNorm": "layer_norm",
    "NativeBatchNorm": "batch_norm",
    "NllLoss": "nll_loss",
}
