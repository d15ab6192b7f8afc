"""Measure, on sampled steps, how many half-precision weights an update leaves exactly as they were.

Only torch's own optimizers are looked at: they round to nearest. One that rounds stochastically or carries the rounding
error along looks the same in a single step.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import LostUpdateFacts
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import Ledger

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

HALF = (torch.bfloat16, torch.float16)
MAX_PARAMS = 4  # the largest ones
MAX_ELEMENTS = 2048  # of each


class LostUpdateProbe(Probe):
    name = "lost"

    def __init__(self) -> None:
        self._half: dict[int, tuple[weakref.ref[Ledger], list[int]]] = {}  # by optimizer: indices of the chosen ones
        self._before: dict[int, list[tuple[Tensor, int, Tensor, Tensor]]] = {}
        self._decay: dict[int, tuple[float, int, int]] = {}  # by optimizer: the last three fields of the facts
        self._found: dict[int, LostUpdateFacts] = {}

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return
        self._before.pop(tracked.id, None)
        if tracked.id in self._found:
            self._recorder.record_due = True
        chosen = self._chosen(tracked, optimizer)
        if not chosen:
            return
        self._before[tracked.id] = [
            (p, p._version, _some(p).clone(), _some(p.grad) != 0) for p in chosen if _is_dense(p.grad)
        ]
        self._decay[tracked.id] = _decay(optimizer, {id(p): old for p, _, old, _ in self._before[tracked.id]})

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        before = None if tracked is None else self._before.pop(tracked.id, None)
        if tracked is None or not before:
            return
        num_checked = num_unchanged = 0
        for param, version, old, touched in before:
            if param._version == version:  # it was not updated in between: the step ran a closure, or was skipped
                return
            num_checked += int(touched.sum())
            num_unchanged += int((touched & (_some(param) == old)).sum())
        first = before[0][0]
        self._found[tracked.id] = LostUpdateFacts(
            str(first.dtype).removeprefix("torch."),
            num_checked,
            num_unchanged,
            max((float(group["lr"]) for group in optimizer.param_groups if "lr" in group), default=0.0),
            tracked.num_updates,
            tuple(self._recorder.names.of(param) for param, *_ in before),
            *self._decay.pop(tracked.id),
        )

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        found = None if tracked is None else self._found.pop(tracked.id, None)
        return {} if found is None else {"lost_updates": found}

    def _chosen(self, tracked: TrackedOptimizer, optimizer: Optimizer) -> list[Tensor]:
        params = tracked.ledger.params
        known = self._half.get(tracked.id)
        if known is None or known[0]() is not tracked.ledger:
            half = [i for i, p in enumerate(params) if p.dtype in HALF] if _is_builtin(optimizer) else []
            largest = sorted(half, key=lambda i: -params[i].numel())[:MAX_PARAMS]
            known = self._half[tracked.id] = (weakref.ref(tracked.ledger), largest)
        return [params[i] for i in known[1]]


def _is_builtin(optimizer: Optimizer) -> bool:
    return type(optimizer).step.__module__.startswith("torch.optim")


def _decay(optimizer: Optimizer, weights: dict[int, Tensor]) -> tuple[float, int, int]:
    """How weight decay changes these weights where an optimizer multiplies them by it before it adds the update.

    A fused kernel does both at once, and rounds once.
    """
    largest, num_decayed, num_undecayed = 0.0, 0, 0
    for group in optimizer.param_groups:
        if not group.get("decoupled_weight_decay") or group.get("fused"):
            continue
        rate, decay = float(group["lr"]), float(group["weight_decay"])
        if not 0 < rate * decay < 1:
            continue
        for old in [weights[id(p)] for p in group["params"] if id(p) in weights]:
            counted = old != 0
            largest = max(largest, decay)
            num_decayed += int(counted.sum())
            num_undecayed += int((counted & (old * (1 - rate * decay) == old)).sum())
    return largest, num_decayed, num_undecayed


def _is_dense(grad: Tensor | None) -> bool:
    return grad is not None and grad.layout is torch.strided and type(grad) is Tensor


def _some(value: Any) -> Tensor:
    flat: Tensor = value.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // MAX_ELEMENTS)]
