"""The gradients of the first update: to compare one batch with several smaller ones."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from surefoot.check.modes import DROPOUTS
from surefoot.check.observer import Observer
from surefoot.check.tensors import digest, leaves


class Gradients:
    def __init__(self, observer: Observer, file: Path) -> None:
        self._observer = observer
        self._file = file
        observer.at_backward.append(self._look)
        observer.before_step.append(self._keep)

    def _look(self) -> None:
        if self._observer.result.steps:
            return
        for call in self._observer.calls.models:
            for one in call.module.modules():
                if isinstance(one, nn.modules.batchnorm._BatchNorm) and type(one).__name__ not in self._norms:
                    self._norms.append(type(one).__name__)
        self._samples()

    @property
    def _norms(self) -> list[str]:
        return self._observer.result.norms

    def _samples(self) -> None:
        """Each row once, whichever batch it came in."""
        for call in self._observer.calls.models[-1:]:
            rows: dict[int, int] = {}
            for _, tensor in leaves(call.given):
                for i, row in enumerate(tensor if tensor.dim() and not tensor.requires_grad else ()):
                    rows[i] = zlib.crc32(str(digest(row)).encode(), rows.get(i, 0))
            self._observer.result.samples += rows.values()

    def _keep(self, optimizer: Optimizer) -> None:
        if self._observer.result.steps:
            return
        kept: list[Tensor | None] = []
        for group in optimizer.param_groups:
            kept += [None if param.grad is None else param.grad.detach().clone() for param in group["params"]]
        torch.save(kept, self._file)


def switch_dropout_off() -> None:
    """Its random numbers are noise in a loss that should fall, and others in batches of another size."""
    for name in DROPOUTS:
        setattr(nn.functional, name, _off)


def _off(input: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
    return input
