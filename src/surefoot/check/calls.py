"""The calls of a program's models and loss functions in the window that is running."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from surefoot.check.tensors import Path, leaves
from surefoot.watch.lossgraph.loss_call import LOSSES

TARGET_NAMES = frozenset({"labels", "label", "target", "targets", "y", "y_true"})


@dataclass
class ModelCall:
    """An outermost call of a module with parameters, with gradients on."""

    module: nn.Module
    args: Any
    kwargs: dict[str, Any]
    output: Any

    @property
    def given(self) -> tuple[Any, dict[str, Any]]:
        return self.args, self.kwargs


@dataclass
class LossCall:
    kind: str
    prediction: Tensor
    target: Any
    given: dict[str, Any]
    is_inside: bool  # of a model's call
    value: Tensor | None = None  # what it returned


@dataclass
class Calls:
    """Both are emptied when a step ends. `change` may replace what a model, or a loss as its target, is given."""

    models: list[ModelCall] = field(default_factory=list)
    losses: list[LossCall] = field(default_factory=list)
    change_inputs: Callable[[int, Any], Any] = lambda number, given: given
    change_target: Callable[[int, Any], Any] = lambda number, target: target
    is_paused: bool = False
    num_models: int = 0  # calls in this window
    num_losses: int = 0

    def install(self) -> None:
        self._thread = threading.get_ident()
        self._depth = 0
        original = nn.Module.__call__

        @wraps(original)
        def __call__(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if self._depth or self._is_deaf() or next(module.parameters(), None) is None:
                return original(module, *args, **kwargs)
            number, self.num_models = self.num_models, self.num_models + 1
            args, kwargs = self.change_inputs(number, (args, kwargs))
            self._depth = 1
            try:
                output = original(module, *args, **kwargs)
            finally:
                self._depth = 0
            self.models.append(ModelCall(module, args, kwargs, output))
            return output

        nn.Module.__call__ = __call__  # type: ignore[method-assign]
        for name, kind in LOSSES.items():
            self._listen_to_loss(name, kind)

    def clear(self) -> None:
        self.models, self.losses = [], []
        self.num_models = self.num_losses = 0

    def _is_deaf(self) -> bool:
        return (
            self.is_paused
            or not torch.is_grad_enabled()
            or threading.get_ident() != self._thread
            or torch.compiler.is_compiling()
            or torch._C._get_tracing_state() is not None
        )

    def _listen_to_loss(self, name: str, kind: str) -> None:
        original = getattr(nn.functional, name)

        @wraps(original)
        def loss(input: Any, target: Any = None, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
            if target is None or self._is_deaf() or not isinstance(input, Tensor) or not input.requires_grad:
                return original(input, *(() if target is None else (target,)), *args, **kwargs)
            number, self.num_losses = self.num_losses, self.num_losses + 1
            target = self.change_target(number, target)
            value = original(input, target, *args, **kwargs)
            self.losses.append(LossCall(kind, input, target, dict(kwargs), bool(self._depth), value.detach()))
            return value

        setattr(nn.functional, name, loss)


def target_paths(call: ModelCall, losses: list[LossCall]) -> set[Path]:
    """Where targets stand in what a model was given: they are told by their name, or by a loss that got them."""
    found = set()
    given = list(leaves(call.given))
    for path, tensor in given:
        is_named = isinstance(path[-1], str) and path[-1].lower() in TARGET_NAMES
        if is_named or any(_is_same(tensor, loss.target) for loss in losses):
            found.add(path)
    return found if len(found) < len(given) else set()  # an autoencoder's input is its target


def _is_same(tensor: Tensor, target: Any) -> bool:
    if not isinstance(target, Tensor) or target.numel() != tensor.numel() or not tensor.numel():
        return False
    return target.data_ptr() == tensor.data_ptr()


def raw_inputs(call: ModelCall, losses: list[LossCall]) -> dict[Path, Tensor]:
    """What came from outside of the graph, targets left out."""
    targets = target_paths(call, losses)
    return {
        path: tensor
        for path, tensor in leaves(call.given)
        if path not in targets and tensor.dim() and not tensor.requires_grad and tensor.dtype is not torch.bool
    }
