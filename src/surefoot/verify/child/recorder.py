"""Records the first steps of a program: listens through the tap, and ends the program after the last of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from surefoot.verify.child.forward import ForwardRecorder
from surefoot.verify.child.naming import Naming
from surefoot.verify.child.preset import NAME
from surefoot.verify.child.sketch import sketch
from surefoot.verify.child.tensors import FLAT, is_flat_shard, number, whole, whole_sketch
from surefoot.verify.recording import Recording, Step
from surefoot.watch.step import MaxStepsReached, is_inner
from surefoot.watch.tap import Tap

CLIP_EPSILON = 1e-6  # torch adds it to the norm


class StepRecorder:
    """`made` is told of each optimizer that the program makes; `write` when there is something new to keep."""

    def __init__(self, steps: int, recording: Recording, write: Callable[[], None]) -> None:
        self.recording = recording
        self.naming = Naming()
        self.forwards = ForwardRecorder(self.naming)
        self.tap = Tap(self._failed)
        self.made: list[Callable[[Optimizer], None]] = []
        self._steps = steps
        self._write = write
        self._step = Step()
        self._before: dict[str, Tensor] = {}
        self._optimizers: list[Optimizer] = []
        self._counts: list[int] = []
        self._is_inner = 0
        self._has_ended = False

    def install(self, *, hears_modules: bool = True) -> None:
        listen = self.tap.listen
        if hears_modules:
            listen(Module, "_call_impl", NAME, before=self._called, after=self._returned)
        listen(torch.autograd, "backward", NAME, before=self._backward_begins, after=self._backward_ends)
        listen(Optimizer, "__init__", NAME, after=self._optimizer_made)
        for owner in (torch.nn.utils, torch.nn.utils.clip_grad):
            listen(owner, "clip_grad_norm_", NAME, before=self._clips, after=self._clipped)
        self.tap.on_removal(register_optimizer_step_pre_hook(self._step_begins).remove)
        self.tap.on_removal(register_optimizer_step_post_hook(self._step_ends).remove)
        self.tap.has_subclasses = True  # DTensors may be among the parameters
        self.tap.on = True

    def mask_drawn(self, mask: int) -> None:
        if self.forwards.calls:
            self.forwards.calls[-1].masks.append((self.forwards.innermost, mask))

    def _failed(self, probe: str, error: Exception) -> None:
        self.recording.error = f"recording failed: {type(error).__name__}: {error}"

    # --- forward, backward, clipping

    def _called(self, args: Any, kwargs: Any) -> None:
        self.forwards.begins(args[0], args[1:], kwargs)

    def _returned(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        self.forwards.ends(args[0], result)

    def _backward_begins(self, args: Any, kwargs: Any) -> None:
        self.forwards.is_backward = True
        roots = args[0] if args else kwargs.get("tensors")
        for root in [roots] if isinstance(roots, Tensor) else roots or ():
            if root.numel() == 1:
                self._step.losses.append(number(root))

    def _backward_ends(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        self.forwards.is_backward = False

    def _optimizer_made(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        for tell in self.made:
            tell(args[0])

    def _clips(self, args: Any, kwargs: Any) -> None:
        if not self._step.unclipped:
            self._step.unclipped = {name: whole_sketch(p.grad) for name, p in self._params() if p.grad is not None}

    def _clipped(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        if result is None:
            return
        limit = float(args[1] if len(args) > 1 else kwargs["max_norm"])
        norm = number(result)
        self._step.norms.append(norm)
        self._step.clip_factors.append(min(1.0, limit / (norm + CLIP_EPSILON)))

    # --- the update

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if is_inner(optimizer):
            self._is_inner += 1
            return
        self._end_if_over(optimizer)
        self.tap.run(NAME, self._begin_step, optimizer)

    def _step_ends(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._is_inner:
            self._is_inner -= 1
            return
        self.tap.run(NAME, self._end_step, optimizer)
        if self._counts and min(self._counts) >= self._steps:
            self._end()

    def _end_if_over(self, optimizer: Optimizer) -> None:
        """An optimizer that steps more often than others need not wait for them."""
        at = self._number(optimizer)
        if self._has_ended or self._counts[at] >= self._steps:
            self._end()

    def _end(self) -> None:
        self._write()
        if self._has_ended:  # the program caught the exception
            os._exit(0)
        self._has_ended = True
        raise MaxStepsReached(self._steps)

    def _begin_step(self, optimizer: Optimizer) -> None:
        step, params = self._step, self._named(optimizer)
        step.rates = [float(group["lr"]) for group in optimizer.param_groups if "lr" in group]
        scale = getattr(optimizer, "grad_scale", None)  # fused optimizers divide by it themselves
        factor = 1.0 if scale is None else 1 / number(scale)
        step.gradients = {name: whole_sketch(p.grad) * factor for name, p in params if p.grad is not None}
        self._before = {name: whole(p).clone() for name, p in params}
        step.weights_before = {name: sketch(value) for name, value in self._before.items()}

    def _end_step(self, optimizer: Optimizer) -> None:
        step, at = self._step, self._number(optimizer)
        self._counts[at] += 1
        step.number, step.optimizer, step.calls = self._counts[at], at, self.forwards.take()
        for name, param in self._named(optimizer):
            now = whole(param)
            step.weights[name] = sketch(now)
            step.updates[name] = sketch(now.double() - self._before[name].double())
        step.buffers = {name: whole_sketch(b) for name, b in self.naming.buffers() if b.is_floating_point()}
        self._before = {}
        self._step = Step()
        recording = self.recording
        recording.steps.append(step)
        recording.dtypes = sorted(self.forwards.dtypes)
        recording.param_dtypes = sorted({str(param.dtype) for _, param in self._named(optimizer)})
        recording.wrappers = sorted(set(self.naming.wrappers) | self._sharding(optimizer))

    def _sharding(self, optimizer: Optimizer) -> set[str]:
        return {"DTensor" for _, param in self._named(optimizer) if hasattr(param, "full_tensor")}

    def _number(self, optimizer: Optimizer) -> int:
        for at, known in enumerate(self._optimizers):
            if known is optimizer:
                return at
        self._optimizers.append(optimizer)
        self._counts.append(0)
        return len(self._optimizers) - 1

    def _params(self) -> list[tuple[str, Tensor]]:
        return [(name, param) for name, param in self.naming.named_params() if not is_flat_shard(param)]

    def _named(self, optimizer: Optimizer) -> list[tuple[str, Tensor]]:
        named = []
        for i, group in enumerate(optimizer.param_groups):
            for j, param in enumerate(group["params"]):
                if not is_flat_shard(param):
                    named.append((self.naming.params.get(id(param), f"group {i}, parameter {j}"), param))
                elif FLAT not in self.recording.notes:
                    self.recording.notes.append(FLAT)
        return named
