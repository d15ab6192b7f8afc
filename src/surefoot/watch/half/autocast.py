"""Watch autocast: whether backward runs inside it, and in which precision the training forward ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.amp.autocast_mode import autocast

from surefoot.watch.patch import Function
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

DEVICES = ("cuda", "cpu", "xpu", "mps", "hpu")


class AutocastProbe(Probe):
    name = "autocast"

    def __init__(self) -> None:
        self._entered: torch.dtype | None = None  # by code that builds graphs, since the last step

    def install(self, recorder: Recorder) -> None:
        probe = self

        def make(original: Function) -> Function:
            def __enter__(self: Any) -> Any:
                if self._enabled and not torch.compiler.is_compiling() and torch.is_grad_enabled():
                    probe._entered = self.fast_dtype
                return original(self)

            return __enter__

        recorder.patches.wrap(autocast, "__enter__", make)

    def backward_begins(self, backward: Backward) -> None:
        dtype = self._entered
        if torch._C._is_any_autocast_enabled():
            backward.under_autocast = True
            on = [device for device in DEVICES if torch.is_autocast_enabled(device)]
            dtype = torch.get_autocast_dtype(on[0]) if on else dtype
        if dtype is not None:
            backward.autocast_dtype = str(dtype).removeprefix("torch.")

    def step_ends(self, optimizer: Optimizer) -> None:
        self._entered = None
