"""Calls of models and of the modules inside, with their outputs."""

from __future__ import annotations

import threading
import zlib
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.check.tensors import digest, leaves
from surefoot.verify.child.naming import Naming
from surefoot.verify.child.sketch import sketch_rows
from surefoot.verify.child.tensors import whole
from surefoot.verify.recording import Activation, ModelCall

MOST_ACTIVATIONS = 4000  # of one model call


class ForwardRecorder:
    """Hears of every module call; `calls` are those of the step that is running."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self.calls: list[ModelCall] = []
        self.dtypes: set[str] = set()
        self.is_backward = False  # then checkpoints run their blocks again
        self._thread = threading.get_ident()
        self._num_samples = 0
        self._open: list[Module] = []
        self._counts: dict[str, int] = {}

    @property
    def _is_deaf(self) -> bool:
        return self.is_backward or not torch.is_grad_enabled() or threading.get_ident() != self._thread

    @property
    def innermost(self) -> str:
        """The module that is being called."""
        return self._naming.of(self._open[-1]) if self._open else ""

    def begins(self, module: Module, args: Any, kwargs: Any) -> None:
        if self._is_deaf:
            return
        if not self._open:
            if next(module.parameters(), None) is None:
                return
            self._naming.know(module)
            self._counts = {}
            self.calls.append(self._call(args, kwargs))
        self._open.append(module)

    def ends(self, module: Module, output: Any) -> None:
        if not self._open or self._is_deaf or self._open[-1] is not module:
            return
        self._open.pop()
        name = self._naming.of(module)
        if not name or len(self.calls[-1].activations) >= MOST_ACTIVATIONS:
            return
        for tensor in [one for _, one in leaves(output) if one.is_floating_point() and one.dim()]:
            index = self._counts[name] = self._counts.get(name, -1) + 1
            self.dtypes.add(str(tensor.dtype))
            rows = self._rows(whole(tensor))
            self.calls[-1].activations.append(Activation(name, type(module).__name__, index, rows))

    def take(self) -> list[ModelCall]:
        taken, self.calls, self._open = self.calls, [], []
        return taken

    def _call(self, args: Any, kwargs: Any) -> ModelCall:
        given = [one for _, one in leaves((args, kwargs)) if one.dim() and one.layout is torch.strided]
        if not given:
            self._num_samples = 0
            return ModelCall()
        self._num_samples = count = given[0].shape[0]
        alike = [whole(one) for one in given if one.shape[0] == count]
        digests = [[digest(row) for row in one] for one in alike]
        samples = [zlib.crc32(repr(row).encode()) for row in zip(*digests, strict=True)]
        floats = [one.reshape(count, -1) for one in alike if one.is_floating_point()]
        return ModelCall(samples, sketch_rows(torch.cat(floats, 1)) if floats and count else None)

    def _rows(self, tensor: Tensor) -> dict[int, tuple[tuple[int, ...], Tensor]]:
        """Along each of the first two dimensions that may be that of the samples, and -1 for all in one line."""
        count, shape = self._num_samples, tuple(tensor.shape)
        found = {-1: (shape, sketch_rows(tensor.reshape(1, -1)))}
        for dim in (0, 1):
            if dim < len(shape) and count and shape[dim] and shape[dim] % count == 0:
                rest = (*shape[:dim], shape[dim] // count, *shape[dim + 1 :])
                rows = tensor.movedim(dim, 0).reshape(count, -1)
                found[dim] = (rest, sketch_rows(rows))
        return found
