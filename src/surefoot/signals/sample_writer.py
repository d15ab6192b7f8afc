"""From what was measured to a row of numbers by name, to facts for the rules, and to histograms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import ParameterSignals, SignalFacts
from surefoot.signals.clipping import clip_factor
from surefoot.signals.gauge import Measured
from surefoot.signals.histogram import EDGES, count
from surefoot.signals.measured_optimizer import MeasuredOptimizer, Sample
from surefoot.signals.memory import memory_bytes
from surefoot.signals.sampling import has_histograms
from surefoot.signals.tensors import is_readable, plain_torch

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

MOST_RATES = 8

Row = dict[str, float]
OnRow = Callable[[int, int, Mapping[str, float]], None]  # optimizer, step, values by name
OnHistogram = Callable[[int, int, str, Sequence[float], Sequence[int]], None]  # optimizer, step, name, edges, counts
OnBatch = Callable[[int, int], None]  # rows given to the first layer, backwards of the update


class SampleWriter:
    """Hands each sample to whoever listens, as soon as its step is taken."""

    def __init__(self) -> None:
        self.on_row: OnRow | None = None
        self.on_histogram: OnHistogram | None = None
        self.on_batch: OnBatch | None = None

    def write(
        self, measured: MeasuredOptimizer, sample: Sample, batch_size: int | None, optimizer: Optimizer,
        recorder: Recorder,
    ) -> None:  # fmt: skip
        with plain_torch():
            numbers, scale, factor = measured.read(), float(sample.scale), clip_factor(sample.limits)
        if scale != 1.0:
            _unscale(numbers, scale)
        grad_norm = _length(numbers.grad_norms)
        measured.add_to_record(sample.loss, grad_norm)
        row = {"grad_norm": grad_norm, "clip_factor": factor}
        row |= _sizes(measured, numbers) | _speed(sample, batch_size)
        if sample.is_record:
            measured.num_records += 1
            if numbers.squares and batch_size:
                measured.noise.add(numbers.squares, batch_size)
            row |= _record_row(measured, numbers, optimizer, recorder)
        if self.on_row is not None:
            self.on_row(measured.tracked.id, sample.step, row)
        if self.on_batch is not None and batch_size and measured.tracked.id == 1:
            self.on_batch(batch_size, max(1, sample.num_backwards))
        if not sample.is_record:
            return
        if self.on_histogram is not None and has_histograms(measured.num_records):
            for name, edges, counts in _histograms(measured):
                self.on_histogram(measured.tracked.id, sample.step, name, edges, counts)
        facts = _facts(measured, sample, numbers, optimizer, recorder, grad_norm=grad_norm, clip_factor=factor)
        measured.forget_recorded()
        recorder.emit(facts)


def _unscale(numbers: Measured, scale: float) -> None:
    numbers.grad_norms = {i: norm / scale for i, norm in numbers.grad_norms.items()}
    numbers.descent = None if numbers.descent is None else numbers.descent / scale
    numbers.overshoot = None if numbers.overshoot is None else numbers.overshoot / scale


# --- rows: what is not known is left out, because a NaN in the log is one of training


def _sizes(measured: MeasuredOptimizer, numbers: Measured) -> Row:
    """Of all parameters together, then of each."""
    norm, update = _length(numbers.norms), _length(numbers.update_norms)
    row = {"param_norm": norm, "update_norm": update}
    if norm:
        row["update_ratio"] = update / norm
    if numbers.descent is not None:
        row["descent"] = numbers.descent
        if numbers.overshoot is not None:
            row["overshoot"] = numbers.overshoot
    for i, size in numbers.norms.items():
        name = measured.names[i]
        row[f"grad_norm/{name}"] = numbers.grad_norms.get(i, math.nan)
        row[f"param_norm/{name}"] = size
        row[f"update_ratio/{name}"] = numbers.update_norms[i] / size if size else math.nan
    for i, share in numbers.zeros.items():
        row[f"grad_zeros/{measured.names[i]}"] = share
    return row


def _speed(sample: Sample, batch_size: int | None) -> Row:
    if not sample.step_seconds:
        return {}
    num_items = (batch_size or 0) * max(1, sample.num_backwards)
    row = {"step_seconds": sample.step_seconds}
    return row | {"items_per_second": num_items / sample.step_seconds} if num_items else row


def _record_row(measured: MeasuredOptimizer, numbers: Measured, optimizer: Optimizer, recorder: Recorder) -> Row:
    """What is not worth a look at every sample."""
    row = {f"lr/{i}": rate for i, rate in enumerate(_rates(optimizer)) if i}
    held = memory_bytes(measured.params[0].device) if measured.params else None
    if held is not None:
        row["memory_bytes"] = float(held)
    if measured.noise.num_expected and not math.isnan(measured.noise.value):
        row["noise_scale"] = measured.noise.value
    row |= measured.noise.take_newest()
    if recorder.by_scaler is not None:
        row["grad_scale"] = recorder.by_scaler.scale
        row["num_skipped"] = float(measured.tracked.num_skipped)
    for i, norm in numbers.grad_norms.items():
        grad = measured.params[i].grad
        if not math.isfinite(norm) and grad is not None and is_readable(grad):
            row[f"grad_nonfinite/{measured.names[i]}"] = _nonfinite_share(grad)
    return row


@plain_torch()
def _nonfinite_share(grad: Tensor) -> float:
    return 1 - float(grad.isfinite().float().mean())


def _rates(optimizer: Optimizer) -> list[float]:
    found = [group.get("lr") for group in optimizer.param_groups[:MOST_RATES]]
    return [float(rate) for rate in found if rate is not None and (not isinstance(rate, Tensor) or rate.is_cpu)]


def _histograms(measured: MeasuredOptimizer) -> Iterator[tuple[str, Sequence[float], Sequence[int]]]:
    """Of weights and of gradients, as far as they were read."""
    for gauge in measured.gauges:
        owners = gauge.owners()
        for lead, values in zip(("weights/", "gradients/"), gauge.elements, strict=True):
            for i, counts in zip(gauge.indices, count(values, owners, len(gauge.indices)), strict=True):
                yield lead + measured.names[i], EDGES, counts


# --- facts


def _facts(
    measured: MeasuredOptimizer, sample: Sample, numbers: Measured, optimizer: Optimizer, recorder: Recorder, *,
    grad_norm: float, clip_factor: float,
) -> SignalFacts:  # fmt: skip
    return SignalFacts(
        at=recorder.journal.clock,
        index=sample.step,
        optimizer=measured.tracked.id,
        update=sample.update,
        site=measured.tracked.step_site,
        params=tuple(_parameter(measured, numbers, i) for i in sorted(numbers.norms)),
        losses=tuple(measured.losses),
        grad_norm=grad_norm,
        highest_grad_norm=measured.highest_grad_norm,
        clip_factor=clip_factor,
        descent=numbers.descent,
        overshoot=numbers.overshoot,
        lrs=tuple(_rates(optimizer)),
        step_seconds=sample.step_seconds,
        activations=sample.activations,
        equal_rows=tuple(measured.names[i] for i in sample.equal_rows),
        is_sharded=any(hasattr(param, "_local_tensor") for param in measured.params),
        in_eval=_in_eval(measured.params, recorder),
    )


def _parameter(measured: MeasuredOptimizer, numbers: Measured, i: int) -> ParameterSignals:
    norm = numbers.grad_norms.get(i)
    return ParameterSignals(
        name=measured.names[i],
        num_dims=measured.params[i].ndim,
        num_elements=measured.params[i].numel(),
        grad_norm=None if norm is None else _short(norm),
        norm=_short(numbers.norms[i]),
        update_norm=_short(numbers.update_norms[i]),
        zeros=_short(numbers.zeros.get(i, 0.0)),
    )


def _in_eval(params: Sequence[Tensor], recorder: Recorder) -> bool:
    """Whether every module that holds one of these is in eval mode."""
    places = [recorder.names.scan.place(param) for param in params]
    modules = [place.module() for place in places if place is not None]
    known = [module for module in modules if module is not None]
    return bool(known) and not any(module.training for module in known)


def _length(norms: Mapping[int, float]) -> float:
    """Of all together."""
    return math.sqrt(sum(norm * norm for norm in norms.values()))


def _short(number: float) -> float:
    """Six digits are more than is known, and are stored in half the space."""
    return float(f"{number:.6g}")
