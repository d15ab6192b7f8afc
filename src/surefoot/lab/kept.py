"""Keep a training's state aside, let something else happen to it, and put it back bit for bit."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.loop import loader as kind
from surefoot.loop.checkpoint import generator, rng
from surefoot.loop.separate_pass import check_startable_again, nothing_moved
from surefoot.sanitizer import unseen


class Kept:
    """Models, optimizers, random numbers and the loader's own generators, as they were when it was made.

    `put_back` may be called as often as a new trial needs the same start. `release` is the last one: optimizers get
    their own states back, the same objects as before.
    """

    def __init__(self, models: Iterable[Module], optimizers: Iterable[Optimizer], loader: kind.Loader | None) -> None:
        self._models = [_KeptModel(model) for model in models]
        self._optimizers = [_KeptOptimizer(optimizer) for optimizer in optimizers]
        self._generators = generator.find(loader)
        self._states = generator.states(self._generators)
        self._rng = rng.capture()

    def put_back(self) -> None:
        """Start anew: weights, gradients, copies of optimizer states, random numbers."""
        self._put_all(last=False)

    def release(self) -> None:
        self._put_all(last=True)

    def _put_all(self, *, last: bool) -> None:
        with ExitStack() as stack:  # all of it, whatever fails
            for model in self._models:
                stack.callback(model.put_back, last=last)
            for optimizer in self._optimizers:
                stack.callback(optimizer.release if last else optimizer.start)
            stack.callback(generator.put, self._generators, self._states)
            stack.callback(rng.restore, self._rng)


class _KeptModel:
    def __init__(self, model: Module) -> None:
        tensors = {id(t): t for t in (*model.parameters(), *model.buffers())}
        self._tensors = [(tensor, tensor.detach().clone()) for tensor in tensors.values()]
        self._gradients = [(p, p.grad) for p in model.parameters()]
        self._held = [(module, dict(module._parameters), dict(module._buffers)) for module in model.modules()]
        self._modes = [(module, module.training) for module in model.modules()]
        self._extra = [
            (module, copy.deepcopy(module.get_extra_state()))
            for module in model.modules()
            if type(module).get_extra_state is not Module.get_extra_state
        ]

    @torch.no_grad()
    def put_back(self, *, last: bool) -> None:
        for module, parameters, buffers in self._held:  # a forward may put another tensor in a buffer's place
            _refill(module._parameters, parameters)
            _refill(module._buffers, buffers)
        for tensor, before_trial in self._tensors:
            tensor.copy_(before_trial)
        for p, grad in self._gradients:
            p.grad = grad if last else None
        for module, training in self._modes:
            module.training = training
        for module, extra in self._extra:
            module.set_extra_state(copy.deepcopy(extra))


class _KeptOptimizer:
    """Trials work on copies of its state and groups, so that its own stay untouched."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer
        self._before = dict(vars(optimizer))

    def start(self) -> None:
        optimizer, before = self._optimizer, self._before
        self.release()
        optimizer.state = defaultdict(dict, {p: copy.deepcopy(state) for p, state in before["state"].items()})
        optimizer.param_groups = [_copied_group(group) for group in before["param_groups"]]

    def release(self) -> None:
        _refill(vars(self._optimizer), self._before)


def _refill(own: dict[str, Any], before: Mapping[str, Any]) -> None:
    own.clear()
    own.update(before)


def _copied_group(group: dict[str, Any]) -> dict[str, Any]:
    copied = {k: v.detach().clone() if isinstance(v, Tensor) else copy.copy(v) for k, v in group.items()}
    copied["params"] = list(group["params"])
    return copied


@contextmanager
def kept(models: Iterable[Module], optimizers: Iterable[Optimizer], loader: kind.Loader) -> Iterator[Kept]:
    """Whatever happens inside, also Ctrl-C, leaves no trace, and the sanitizer looks away."""
    check_startable_again(loader)
    position = loader.state_dict() if kind.keeps_own_position(loader) else None  # type: ignore[union-attr]
    with unseen(), nothing_moved(loader):
        own = Kept(models, optimizers, loader)
        try:
            own.put_back()
            yield own
        finally:
            own.release()
            if position is not None:
                loader.load_state_dict(position)  # type: ignore[union-attr]
