"""To which module an operation belongs: the one whose parameter it uses, or what stands between two that have some."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from torch import Tensor
from torch.nn import Module

from surefoot.watch.inventory.module import named_modules, parameters_of, part
from surefoot.watch.lossgraph.node import VIEWS, Node, name_of

if TYPE_CHECKING:
    from surefoot.watch.finite.birth.flow import Flow
    from surefoot.watch.name import Names

LEAF = "AccumulateGrad"
_SPELLED = {"Div": r"/|\bdiv", "Pow": r"\*\*|\bpow", "LinalgVectorNorm": r"\bnorm", "Norm": r"\bnorm"}


class Places:
    def __init__(self, names: Names) -> None:
        self._names = names

    def name(self, param: Tensor) -> str:
        return self._names.of(param)

    def of(self, flow: Flow, node: Node) -> tuple[str, str, str]:
        """The module, and those with parameters just before and behind; "" for what can't be told."""
        own = self._nearest(node, lambda one: [c for c in flow.steps[one].inputs if one is node or _is_view(one)])
        if own is not None:
            return self._label(own), "", ""
        before = self._nearest(node, lambda one: flow.steps[one].inputs)
        behind = self._behind(flow, node, before)
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

    def _behind(self, flow: Flow, node: Node, before: Tensor | None) -> Tensor | None:
        """The parameter that is used first on what the operation made; else one of what it is first combined with.

        What comes from the same layer as the operation, as the other half of a loss does, is not behind it.
        """
        level, seen = [node], {node}
        partner: Node | None = None
        while level:
            above = []
            for one in level:
                for consumer in flow.consumers.get(one, ()):
                    if consumer in seen:
                        continue
                    seen.add(consumer)
                    above.append(consumer)
                    onward = [c for c in flow.steps[consumer].inputs if c is not one]
                    found = [p for c in onward if (p := _parameter(flow, c)) is not None]
                    if found:
                        return found[0]
                    if partner is None and onward:
                        partner = onward[0]
            level = above
        other = None if partner is None else self._nearest(partner, lambda one: flow.steps[one].inputs)
        return None if other is before else other

    def _label(self, param: Tensor | None) -> str:
        if param is None:
            return ""
        _, module = self._module(param)
        name = self._names.of(param)
        return name.rpartition(".")[0] or (name if module is None else type(module).__name__)

    def _between(self, before: Tensor | None, behind: Tensor | None, operation: str) -> str:
        """The one module without parameters that was made between the two, or the one that holds both."""
        model, first = self._module(before)
        _, last = self._module(behind)
        if model is None or first is None:
            return ""
        modules = [
            (path, m)
            for path, m in named_modules(model)
            if not any(child is not None for child in part(m, "_modules").values())
        ]
        at = [id(m) for _, m in modules]
        start = at.index(id(first)) + 1 if id(first) in at else 0
        end = at.index(id(last)) if id(last) in at else len(at)
        bare = [(path, m) for path, m in modules[start:end] if not any(True for _ in parameters_of(m))]
        fitting: list[str] = [path for path, m in bare if _may_run(cast("Hashable", type(m)), operation)]
        if len(fitting) == 1:
            return fitting[0]
        return "" if behind is None else _holder(model, first, last)

    def _module(self, param: Tensor | None) -> tuple[Module | None, Module | None]:
        place = None if param is None else self._names.census.place(param)
        if place is None or place.root < 0:
            return None, None
        return self._names.census.roots[place.root](), place.module()


def _parameter(flow: Flow, node: Node) -> Tensor | None:
    while _is_view(node):
        inputs = flow.steps[node].inputs
        if len(inputs) != 1:
            return None
        node = inputs[0]
    return node.variable if name_of(node) == LEAF else None


def _is_view(node: Node) -> bool:
    return name_of(node) in VIEWS


def _holder(model: Module, *parts: Module | None) -> str:
    """The innermost module that holds them all; its class, if that is the model itself."""
    paths = [path.split(".") for path, m in named_modules(model) if any(m is one for one in parts)]
    shared = []
    for names in zip(*(path[:-1] for path in paths), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return ".".join(shared) or type(model).__name__


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
