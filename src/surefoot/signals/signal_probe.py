"""Measure sampled steps: arm a window when it is due, look before the update and after it, write what was seen."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.signals.activation import NO_BUDGET, ActivationProbe
from surefoot.signals.clipping import ClippingProbe
from surefoot.signals.gauge import MOST_MICRO_BATCHES
from surefoot.signals.measured_optimizer import MeasuredOptimizer, Sample
from surefoot.signals.sample_writer import SampleWriter
from surefoot.signals.tensors import can_read_now, plain_torch
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer


@dataclass(slots=True)
class Window:
    """The backwards since an optimizer's last step that reached its parameters."""

    losses: list[float] = field(default_factory=list)
    places: list[tuple[Any, bool]] = field(default_factory=list)  # line of each, and whether its graph was kept


class SignalProbe(Probe):
    name = "signals"
    measures = True

    def __init__(self, clipping: ClippingProbe, activations: ActivationProbe) -> None:
        self.writer = SampleWriter()
        self.optimizers: dict[int, MeasuredOptimizer] = {}  # by id of the optimizer
        self._clipping = clipping
        self._activations = activations
        self._windows: dict[int, Window] = {}  # by number of the optimizer

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        if recorder.settings.overhead <= 0:
            recorder.tap.off.setdefault(self.name, NO_BUDGET)
            self._clipping.listen(wanted=False)
            return
        recorder.tap.on_removal(self.optimizers.clear)

    # --- the window

    def backward_ends(self, backward: Backward) -> None:
        for number, _ in backward.reached:
            window = self._windows.setdefault(number, Window())
            if len(window.places) < MOST_MICRO_BATCHES:
                window.places.append((backward.site, backward.retain_graph))
                window.losses += [] if backward.value is None else [backward.value]
        for measured in self.optimizers.values():
            if measured.is_record_armed and measured.noise.num_expected and can_read_now():
                with plain_torch():
                    for gauge in measured.gauges:
                        gauge.micro_batch()

    def window_opens(self, tracked: TrackedOptimizer) -> None:
        """The window that begins now is read closely: sample it, if its update is due."""
        optimizer = tracked.optimizer()
        measured = None if optimizer is None else self.optimizers.get(id(optimizer))
        if measured is not None and measured.tracked is tracked:
            measured.arm()
            self._listen()
            if measured.is_record_armed:
                self._activations.open()

    def _listen(self) -> None:
        """To clipping and to modules, while a window is sampled."""
        self._clipping.listen(wanted=any(some.is_armed for some in self.optimizers.values()))
        if not any(some.is_record_armed for some in self.optimizers.values()):
            self._activations.close()

    # --- the update

    @plain_torch()
    def step_starts(self, optimizer: Optimizer, has_closure: bool) -> None:
        begun = perf_counter()
        measured = self._measured(optimizer)
        # Where several threads train, gradients are not ours to read.
        if measured is None or not measured.is_armed or len(self._recorder.thread_states) > 1 or not can_read_now():
            return
        sample = Sample(has_closure, measured.is_record_armed)
        measured.follow_changes(self._recorder.names)
        for gauge in measured.gauges:
            gauge.before()
        if not has_closure:
            self._look_at_window(measured, sample, optimizer)
        measured.sample = sample
        sample.seconds = perf_counter() - begun

    def step_ends(self, optimizer: Optimizer) -> None:
        measured = self.optimizers.get(id(optimizer))
        if measured is None or measured.optimizer() is not optimizer:
            return
        if measured.is_armed:
            sample, measured.sample = measured.sample, None
            if sample is not None and self._has_finished(measured, sample, optimizer):
                self.writer.write(measured, sample, self._activations.batch_size, optimizer, self._recorder)
                measured.measured_at = (measured.tracked.num_updates, perf_counter())
            self._clipping.drop(measured.params)
            measured.ask_for_next()
            self._listen()
        self._windows.pop(measured.tracked.id, None)

    @plain_torch()
    def _has_finished(self, measured: MeasuredOptimizer, sample: Sample, optimizer: Optimizer) -> bool:
        """Look after the update; not if the step has freed or moved what is to be read."""
        if not measured.gauges or not measured.are_readable():
            return False
        sample.step_seconds = measured.step_seconds(sample, perf_counter())
        if sample.has_closure:
            self._look_at_window(measured, sample, optimizer)
        for gauge in measured.gauges:
            gauge.after()
        return True

    def _look_at_window(self, measured: MeasuredOptimizer, sample: Sample, optimizer: Optimizer) -> None:
        """What the window has led to: gradients, with a closure only after the update."""
        sample.step, sample.update = self._recorder.num_steps, measured.tracked.num_updates
        window = self._windows.pop(measured.tracked.id, Window())
        if window.losses:
            sample.loss, sample.num_backwards = sum(window.losses) / len(window.losses), len(window.losses)
        is_alone = len(self.optimizers) == 1 and not sample.has_closure
        measured.noise.expect(window.places if is_alone else [])
        norms = self._clipping.norms
        for gauge in measured.gauges:
            follows = measured.follows and not sample.has_closure
            gauge.gradients(norms, elements=sample.is_record, follows=follows)
        sample.limits = self._clipping.limits
        scale = getattr(optimizer, "grad_scale", None)
        sample.scale = scale if isinstance(scale, Tensor) else 1.0
        if sample.is_record:
            sample.equal_rows = measured.rows_still_equal()
            if "activations" not in self._recorder.tap.off:
                sample.activations = self._activations.facts(measured.tracked.ids, self._recorder.names)

    # --- whose updates

    def _measured(self, optimizer: Optimizer) -> MeasuredOptimizer | None:
        measured = self.optimizers.get(id(optimizer))
        if measured is not None and measured.optimizer() is optimizer:
            return measured
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return None
        key = id(optimizer)
        gone = weakref.ref(optimizer, lambda ref: self._drop(key, ref))
        measured = self.optimizers[key] = MeasuredOptimizer(gone, tracked, self._recorder.settings.overhead)
        return measured

    def _drop(self, key: int, ref: weakref.ref[Optimizer]) -> None:
        """An optimizer is gone: keep nothing of it alive."""
        measured = self.optimizers.get(key)
        if measured is not None and measured.optimizer is ref:
            del self.optimizers[key]
            self._windows.pop(measured.tracked.id, None)


def signal_probes(others: Sequence[Probe]) -> tuple[SignalProbe, list[Probe]]:
    """The probe that measures, and all probes in the order in which they are installed.

    The one that measures comes last, when a step is accounted for.
    """
    clipping, activations = ClippingProbe(), ActivationProbe()
    signals = SignalProbe(clipping, activations)
    return signals, [clipping, *others, activations, signals]
