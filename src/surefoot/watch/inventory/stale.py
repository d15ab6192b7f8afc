"""Measure the harm of stale gradients: how the used gradient compares with the fresh one.

The gradient of an optimizer's first step is kept until its second. If that one steps on the sum of both, the fresh
part is the difference. Once is enough: the finding is told once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import StalenessFacts
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import Ledger

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

MAX_ELEMENTS = 2_000_000  # of the copy that is kept for one step


class StaleProbe(Probe):
    name = "stale"

    def __init__(self) -> None:
        self._kept: dict[int, dict[int, Tensor]] = {}  # by optimizer and index of the parameter
        self._measured: StalenessFacts | None = None

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def step_begins(self, optimizer: Optimizer) -> None:
        self._measured = None
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or tracked.num_updates > 2:
            return
        if tracked.num_updates == 1:
            self._kept[tracked.id] = _copies(tracked.ledger)
            return
        kept = self._kept.pop(tracked.id, {})
        if _is_plain_sum(tracked.ledger, self._recorder.journal.since(tracked.since)):
            self._measured = _compare(tracked.ledger, kept)

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {} if self._measured is None else {"staleness": self._measured}


def _copies(ledger: Ledger) -> dict[int, Tensor]:
    copies: dict[int, Tensor] = {}
    room = MAX_ELEMENTS
    for i, param in enumerate(ledger.params):
        grad = param.grad
        if grad is None or grad.layout is not torch.strided or type(grad) is not Tensor or grad.numel() > room:
            continue
        room -= grad.numel()
        copies[i] = grad.detach().clone()
    return copies


def _is_plain_sum(ledger: Ledger, events: Any) -> bool:
    """Whether old gradients are there and only backwards have touched them since."""
    stale = any(p.used_by and p.fresh for p in ledger.provenances)
    return stale and all(key[0] in ("backward", "clear", "epoch") for _, key, _ in events)


def _compare(ledger: Ledger, kept: dict[int, Tensor]) -> StalenessFacts | None:
    used_sq = fresh_sq = dot = 0.0
    with torch.no_grad():
        for i, old in kept.items():
            used = ledger.params[i].grad
            if used is None or not ledger.provenances[i].used_by or used.shape != old.shape:
                continue
            fresh = used - old
            used_sq += float(used.double().square().sum())
            fresh_sq += float(fresh.double().square().sum())
            dot += float((used.double() * fresh.double()).sum())
    if not fresh_sq > 0 or not used_sq > 0:
        return None
    return StalenessFacts(length=(used_sq / fresh_sq) ** 0.5, cosine=dot / (used_sq * fresh_sq) ** 0.5)
