"""From what was measured to numbers by name and to facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import SignalFacts
from surefoot.signals.gauge import Measured
from surefoot.signals.histogram import EDGES, count
from surefoot.signals.memory import memory_bytes
from surefoot.signals.subject import Sample, Subject, length

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

MOST_RATES = 8


def scalars(subject: Subject, measured: Measured, sample: Sample, grad_norm: float) -> dict[str, float]:
    """Of all parameters together, then of each. What is not known is left out: a NaN in the log is one of training."""
    norm, update = length(measured.norms), length(measured.update_norms)
    seconds = sample.step_seconds
    values = {
        "grad_norm": grad_norm,
        "param_norm": norm,
        "update_norm": update,
        "clip_factor": sample.clip_factor,
    }
    if norm:
        values["update_ratio"] = update / norm
    if seconds:
        values["step_seconds"] = seconds
        if sample.num_items:
            values["items_per_second"] = sample.num_items / seconds
    if measured.descent is not None:
        values["descent"] = measured.descent / sample.scale
        if measured.overshoot is not None:
            values["overshoot"] = measured.overshoot / sample.scale
    subject.add_scalars(values, measured, sample.scale)
    return values


def slow_scalars(
    subject: Subject, measured: Measured, optimizer: Optimizer, recorder: Recorder, num_attempts: int
) -> dict[str, float]:
    """What is not worth a look at every sample."""
    values = {f"lr/{i}": rate for i, rate in enumerate(rates(optimizer)) if i}
    held = memory_bytes(subject.params[0].device) if subject.params else None
    if held is not None:
        values["memory_bytes"] = float(held)
    if subject.noise.num_expected and not math.isnan(subject.noise.value):
        values["noise_scale"] = subject.noise.value
    values |= subject.noise.take_newest()
    if recorder.by_scaler is not None:
        values["grad_scale"] = recorder.by_scaler.scale
        values["num_skipped"] = float(max(0, num_attempts - subject.num_steps))
    for i, norm in measured.grad_norms.items():
        grad = subject.params[i].grad
        if not math.isfinite(norm) and type(grad) is Tensor and grad.layout is torch.strided:
            values["grad_nonfinite/" + subject.names[i]] = 1 - float(grad.detach().isfinite().float().mean())
    return values


def rates(optimizer: Optimizer) -> list[float]:
    found = [group.get("lr") for group in optimizer.param_groups[:MOST_RATES]]
    return [float(rate) for rate in found if rate is not None and (not isinstance(rate, Tensor) or rate.is_cpu)]


def histograms(subject: Subject) -> Iterator[tuple[str, Sequence[float], Sequence[int]]]:
    """Of weights and of gradients, as far as they were looked at."""
    for gauge in subject.gauges:
        owners = gauge.owners()
        for lead, values in zip(("weights/", "gradients/"), gauge.looked_at, strict=True):
            for i, counts in zip(gauge.indices, count(values, owners, len(gauge.indices)), strict=True):
                yield lead + subject.names[i], EDGES, counts


def record_of(
    subject: Subject, sample: Sample, measured: Measured, grad_norm: float, optimizer: Optimizer, recorder: Recorder,
) -> SignalFacts:  # fmt: skip
    return SignalFacts(
        at=recorder.journal.clock,
        index=sample.step,
        optimizer=subject.account.id,
        update=sample.update,
        site=subject.account.step_site,
        params=subject.signals(measured, sample.scale),
        losses=tuple(subject.losses),
        grad_norm=grad_norm,
        highest_grad_norm=subject.highest_grad_norm,
        clip_factor=sample.clip_factor,
        descent=None if measured.descent is None else measured.descent / sample.scale,
        overshoot=None if measured.overshoot is None else measured.overshoot / sample.scale,
        lrs=tuple(rates(optimizer)),
        step_seconds=sample.step_seconds,
        activations=sample.activations,
        equal_rows=tuple(subject.names[i] for i in sample.equal_rows),
        is_sharded=any(hasattr(param, "_local_tensor") for param in subject.params),
        in_eval=_in_eval(subject.params, recorder),
    )


def _in_eval(params: Sequence[Tensor], recorder: Recorder) -> bool:
    """Whether every module that holds one of these is in eval mode."""
    modules: list[Any] = []
    for param in params:
        place = recorder.names.census.place(param)
        modules.append(None if place is None else place.module())
    known = [module for module in modules if module is not None]
    return bool(known) and not any(module.training for module in known)
