"""The loss of one batch, without a graph of the model, and with one of the loss: that tells what it is a mean over."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.loop.checkpoint import rng
from surefoot.loop.weight import UnknownWeightError, read_terms
from surefoot.loop.weight.read import Readings


@dataclass(slots=True)
class LossValue:
    """A loss, and what it is a mean over, for those who ask."""

    value: float
    terms: Callable[[], list[Readings]]


class EvaluatedLoss:
    def __init__(self, model: Module, loss_fn: Callable[..., Tensor], *, needs_graph: bool) -> None:
        self._model = model
        self._loss_fn = loss_fn
        self._needs_graph = needs_graph
        self._is_in_model: bool | None = None  # the loss is computed by the model itself; None before the first batch

    def of_pair(self, inputs: Any, targets: Any) -> tuple[LossValue, Any]:
        outputs = self._model(inputs)
        with torch.set_grad_enabled(self._needs_graph):
            loss = self._loss_fn(_with_graph(outputs) if self._needs_graph else outputs, targets)
        eager = eager_of(self._loss_fn)
        if eager is None:
            return _value(loss), outputs
        return LossValue(float(loss.detach()), lambda: terms_of(eager, outputs, targets)), outputs

    def of_batch(self, batch: Any) -> tuple[LossValue, Any]:
        """`loss_fn(model, batch)`. If the model returns its loss itself, only a graph of all of it tells more."""
        if not self._needs_graph:
            with _noting_outputs(self._model, is_graph_cut=False) as noted:
                loss = self._loss_fn(self._model, batch)
            return _value(loss), noted[-1] if noted else None
        if self._is_in_model is None:
            before = rng.capture()
            value, outputs = self._graphed(batch, is_graph_cut=True)
            try:
                value.terms()
                self._is_in_model = False
                return value, outputs
            except UnknownWeightError:
                self._is_in_model = True
                rng.restore(before)
        return self._graphed(batch, is_graph_cut=not self._is_in_model)

    def _graphed(self, batch: Any, *, is_graph_cut: bool) -> tuple[LossValue, Any]:
        with torch.enable_grad(), _noting_outputs(self._model, is_graph_cut=is_graph_cut) as noted:
            loss = self._loss_fn(self._model, batch)
        return _value(loss), noted[-1] if noted else None


def eager_of(loss_fn: Any) -> Callable[..., Tensor] | None:
    """What `torch.compile` was given: compiled code keeps no graph that can be read."""
    found: Callable[..., Tensor] | None = getattr(loss_fn, "_torchdynamo_orig_callable", None)
    return found if found is not None else getattr(loss_fn, "_orig_mod", None)


def _value(loss: Tensor) -> LossValue:
    return LossValue(float(loss.detach()), lambda: read_terms(loss))


def terms_of(loss_fn: Callable[..., Tensor], outputs: Any, targets: Any) -> list[Readings]:
    with torch.enable_grad():
        return read_terms(loss_fn(_with_graph(outputs), targets))


@contextmanager
def _noting_outputs(model: Module, *, is_graph_cut: bool) -> Iterator[list[Any]]:
    """What the model returns, inside. With `is_graph_cut` it runs without a graph, and one begins at its outputs."""
    noted: list[Any] = []

    def before(module: Module, args: Any) -> None:
        torch.set_grad_enabled(False)

    def after(module: Module, args: Any, outputs: Any) -> Any:
        noted.append(_without_graph(outputs))
        if not is_graph_cut:
            return None
        torch.set_grad_enabled(True)
        return _with_graph(outputs)

    handles = [model.register_forward_hook(after)]
    if is_graph_cut:
        handles.append(model.register_forward_pre_hook(before))
    try:
        yield noted
    finally:
        for handle in handles:
            handle.remove()


def _with_graph(outputs: Any) -> Any:
    """Not as leaves: a loss may change them in place."""
    return _mapped(outputs, lambda t: t.detach().requires_grad_().clone() if t.is_floating_point() else t)


def _without_graph(outputs: Any) -> Any:
    return _mapped(outputs, Tensor.detach)


def _mapped(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_mapped(part, change) for part in value))
    if type(value) in (list, tuple):
        return type(value)(_mapped(part, change) for part in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: _mapped(getattr(value, f.name), change) for f in dataclasses.fields(value) if f.init}
        return dataclasses.replace(value, **parts)
    if isinstance(value, Mapping):
        kind: Any = type(value)
        return kind({key: _mapped(part, change) for key, part in value.items()})
    return value
