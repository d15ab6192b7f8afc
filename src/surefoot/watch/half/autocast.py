"""Watch autocast: whether backward runs inside it, and in which precision the training forward ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.amp.autocast_mode import autocast

from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

DEVICES = ("cuda", "cpu", "xpu", "mps", "hpu")


class AutocastProbe(Probe):
    name = "autocast"

    def __init__(self) -> None:
        self._entered: tuple[int, torch.dtype] | None = None  # by code that builds graphs, and before which step

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.tap.listen(autocast, "__enter__", self.name, before=self._enters, observers=(self._enters, None))

    def _enters(self, args: Any, kwargs: Any) -> None:
        if args[0]._enabled and torch.is_grad_enabled():
            self._entered = (self._recorder.num_steps, args[0].fast_dtype)

    def backward_begins(self, backward: Backward) -> None:
        entered = self._entered
        dtype = entered[1] if entered is not None and entered[0] == self._recorder.num_steps else None
        if backward.under_autocast:
            on = [device for device in DEVICES if torch.is_autocast_enabled(device)]
            dtype = torch.get_autocast_dtype(on[0]) if on else dtype
        if dtype is not None:
            backward.autocast_dtype = str(dtype).removeprefix("torch.")
