"""What is done to the inputs of a program's models, step by step."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.check.calls import ModelCall, raw_inputs, target_paths
from surefoot.check.influence import zeros_like
from surefoot.check.observer import Observer
from surefoot.check.tensors import Path, copied, digest, leaves, replaced

NUM_SHUFFLED = 4
LOOKS = ("", *["shuffled"] * NUM_SHUFFLED, "zeros")  # at each batch that is kept
SEED = 20240229


class RepeatFirst:
    """Where batches are cut by hand: every step gets what models and losses were given in the first one."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._inputs: list[Any] = []
        self._targets: list[Any] = []
        observer.calls.change_inputs = self._change_inputs
        observer.calls.change_target = self._change_target
        observer.at_backward.append(self._look)
        self._is_sound = True

    def _change_inputs(self, number: int, given: Any) -> Any:
        if not self._observer.result.steps:
            self._inputs.append(copied(given))
            return given
        return self._first(self._inputs, number, given)

    def _change_target(self, number: int, target: Any) -> Any:
        if not self._observer.result.steps:
            self._targets.append(copied(target))
            return target
        return self._first(self._targets, number, target)

    def _first(self, kept: list[Any], number: int, given: Any) -> Any:
        before = dict(leaves(kept[number])) if number < len(kept) else {}
        fits = all(path in before and before[path].shape == tensor.shape for path, tensor in leaves(given))
        if not fits:
            self._is_sound = self._observer.result.is_replaced = False
            return given
        return replaced(given, lambda path, tensor: tensor if tensor.requires_grad else before[path].clone())

    def _look(self) -> None:
        """Sound where a loss compares what a model returned with a target, and nothing else comes in."""
        calls, result = self._observer.calls, self._observer.result
        if len(result.steps) == 0:
            outputs = {tensor.data_ptr() for call in calls.models for _, tensor in leaves(call.output)}
            self._is_sound &= bool(calls.losses) and all(
                (loss.is_inside or loss.prediction.data_ptr() in outputs)
                and not (isinstance(loss.target, Tensor) and loss.target.requires_grad)
                for loss in calls.losses
            )
            result.is_replaced = self._is_sound


class ChangeInputs:
    """After some updates, steps that update nothing: with the batch's own inputs, with shuffled ones, with zeros."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._targets: set[Path] = set()
        observer.calls.change_inputs = self._change
        observer.before_step.append(self._hold)
        observer.at_backward.append(self._look)

    @property
    def _look_number(self) -> int:
        return len(self._observer.result.steps) - self._observer.experiment.train_steps

    def _wanted(self) -> str:
        """Every other step by hand, because no batch comes again there."""
        number = self._look_number
        if self._observer.experiment.by_hand:
            return "" if number % 2 == 0 else "zeros" if number % 16 == 15 else "shuffled"
        return LOOKS[number % len(LOOKS)]

    def _change(self, number: int, given: Any) -> Any:
        step = self._observer.step
        raw = raw_inputs(ModelCall(torch.nn.Module(), given[0], given[1], None), [])
        raw = {path: tensor for path, tensor in raw.items() if path not in self._targets}
        if raw and "inputs" not in step.digests:
            step.digests["inputs"] = sum(map(digest, raw.values())) & 0xFFFFFFFFFFFF
        if self._look_number < 0:
            return given
        if number == 0:
            torch.manual_seed(SEED)
        wanted = self._wanted()
        if not wanted:
            return given
        changed = {path: _changed(tensor, wanted, self._look_number) for path, tensor in raw.items()}
        if any(not torch.equal(changed[path], raw[path]) for path in raw):
            step.inputs = wanted
        return replaced(given, lambda path, tensor: changed.get(path, tensor))

    def _hold(self, optimizer: Optimizer) -> None:
        if self._look_number >= 0:
            self._observer.step.is_update = False
            for group in optimizer.param_groups:
                for param in group["params"]:
                    param.grad = None  # which leaves weights, averages and momentum alone

    def _look(self) -> None:
        """Which of a model's arguments are targets is known once a loss got them."""
        calls = self._observer.calls
        for call in calls.models:
            self._targets |= target_paths(call, calls.losses)


def _changed(tensor: Tensor, wanted: str, number: int) -> Tensor:
    if wanted == "zeros":
        return zeros_like(tensor)
    order = torch.randperm(len(tensor), generator=torch.Generator().manual_seed(number // len(LOOKS) * 100 + number))
    return tensor[order.to(tensor.device)]
