"""A softmax over one score: it is 1 whatever the score, and passes on a gradient of 0.

Only of a score that parameters make one of for each item, as `nn.Linear(width, 1)` does: where a query is compared with
keys, a single key may be all there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import Site

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tap import Function

SOFTMAXES = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}
PRODUCTS = frozenset(("Mm", "Addmm", "Bmm", "Baddbmm", "Convolution", "Linear"))
TURNS = frozenset(("T", "Transpose", "Permute", "View", "UnsafeView", "Expand", "Unsqueeze"))
VIEWS = frozenset(("View", "UnsafeView", "Unsqueeze"))
PICKS = frozenset(
    ("Squeeze", "Select", "Slice", "Transpose", "Permute", "Index", "Gather", "Sum", "Mean", "Cat", "Stack")
)
NEAR = 24  # nodes between the softmax and what makes its scores


def softmax_over_one(node: Any) -> str:
    """The softmax's name, if it runs over a dimension of size one that a layer makes; else ""."""
    name = SOFTMAXES.get(_operation(node), "")
    if not name or not node._input_metadata:
        return ""
    shape = node._saved_result.shape
    dim = (
        node._saved_dim if node._saved_dim < len(shape) else node._saved_dim - 2**64
    )  # as the node keeps negative ones
    is_one = len(shape) > 1 and shape[dim] == 1 and shape.numel() > 1
    return name if is_one and _is_made_by_parameters(node, dim % len(shape)) else ""


def _is_made_by_parameters(softmax: Any, dim: int) -> bool:
    """Whether this dimension holds the outputs of layers: of each product that is nearest above the softmax."""
    near, found = [softmax], False
    for node in near:
        for child, _ in node.next_functions if len(near) < NEAR else ():
            if child is None:
                continue
            operation, num_dims = _operation(child), _num_dims(child)
            if operation in PRODUCTS:
                holds_outputs = dim == 1 if operation == "Convolution" else dim == _num_dims(softmax) - 1
                if not holds_outputs or not any(_is_parameter(factor) for factor, _ in child.next_functions):
                    return False
                found = True
            elif operation in PICKS or (operation in VIEWS and num_dims < _highest(child)):
                return False
            elif child not in near:
                near.append(child)
    return found and len(near) < NEAR


def _operation(node: Any) -> str:
    return type(node).__name__.partition("Backward")[0]


def _num_dims(node: Any) -> int:
    """Of what the operation made."""
    made = node._input_metadata
    return len(made[0].shape) if made else 0


def _highest(node: Any) -> int:
    """The number of dimensions of what it was made from."""
    return max((_num_dims(child) for child, _ in node.next_functions if child is not None), default=0)


def _is_parameter(node: Any) -> bool:
    while node is not None and _operation(node) in TURNS:
        node = node.next_functions[0][0]
    return getattr(node, "variable", None) is not None


class SoftmaxCalls:
    """Listens for the line that calls such a softmax, for as long as one step takes."""

    def __init__(self, recorder: Recorder, probe: str) -> None:
        self._recorder = recorder
        self._probe = probe
        self._site: Site | None = None
        self.has_heard = False  # any softmax
        tap = recorder.tap
        self._put_back = [
            tap.replace_for_a_while(owner, name, self._make)
            for owner in (torch, Tensor)
            for name in SOFTMAXES.values()
        ]  # fmt: skip

    def _make(self, original: Function) -> Function:
        run, note, probe = self._recorder.tap.run, self._note, self._probe

        def softmax(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            run(probe, note, result)
            return result

        return softmax

    def _note(self, result: Tensor) -> None:
        self.has_heard = True
        if self._site is None and softmax_over_one(result.grad_fn):
            self._site = self._recorder.sites.here(2)

    def leave(self) -> Site | None:
        for put_back in self._put_back:
            put_back()
        self._put_back = []
        return self._site
