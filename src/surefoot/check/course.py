"""What each step begins with, as digests: to find what differs first between two runs."""

from __future__ import annotations

import os
import random
import signal
import sys
import zlib
from typing import Any

import torch
from torch.optim import Optimizer

from surefoot.check.observer import Observer
from surefoot.check.tensors import digest, digest_all, leaves


class Course:
    def __init__(self, observer: Observer, *, kills: bool = False) -> None:
        self._observer = observer
        self._kills = kills
        self._num_saves = 0
        observer.before_step.append(self._begins)
        observer.at_backward.append(self._batch)
        observer.after_step.append(self._ends)

    def _batch(self) -> None:
        step = self._observer.step
        if "batch" not in step.digests:
            given = [call.given for call in self._observer.calls.models]
            raw = [[one for _, one in leaves(one) if not one.requires_grad] for one in given]
            step.digests["batch"] = digest_all(raw)

    def _begins(self, optimizer: Optimizer) -> None:
        digests = self._observer.step.digests
        digests["weights"] = self._observer.weights(optimizer)
        digests["optimizer"] = _state(optimizer)
        digests["random numbers"] = _random()
        digests["schedule"] = self._observer.schedules()

    def _ends(self, optimizer: Optimizer) -> None:
        self._observer.step.digests["updated weights"] = self._observer.weights(optimizer)
        result = self._observer.result
        if self._kills and result.num_saves and len(result.steps) >= 1:
            self._num_saves += 1
            if self._num_saves > 1:  # one step after the checkpoint, which is then surely written
                self._observer._write()
                os.kill(os.getpid(), signal.SIGKILL)


def _state(optimizer: Optimizer) -> int:
    total = 0
    for group in optimizer.param_groups:
        for param in group["params"]:
            state: dict[str, Any] = optimizer.state.get(param, {})
            for key in sorted(state, key=str):
                value = state[key]
                seen = digest(value) if isinstance(value, torch.Tensor) else zlib.crc32(repr(value).encode())
                total = zlib.crc32(f"{key}{seen}".encode(), total)
    return total


def _random() -> int:
    total = digest(torch.get_rng_state())
    total = zlib.crc32(repr(random.getstate()).encode(), total)
    if "numpy" in sys.modules:
        total = zlib.crc32(repr(sys.modules["numpy"].random.get_state()).encode(), total)
    return total
