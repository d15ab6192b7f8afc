"""Measure sampled steps: arm a window when it is due, look before the update and after it, tell.

The hooks are its own, so that a recorder that sleeps (`watch/doze.py`) is not woken; in a window that is not sampled
they cost a look at the clock.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from surefoot.signals.activation import NO_BUDGET, ActivationProbe
from surefoot.signals.clipping import ClippingProbe
from surefoot.signals.gauge import Measured
from surefoot.signals.rhythm import FIRST
from surefoot.signals.subject import Sample, Subject, join, length
from surefoot.signals.tell import histograms, record_of, slow_scalars, whole_scalars
from surefoot.watch.beside import run_beside
from surefoot.watch.probe import Probe
from surefoot.watch.step import is_inner

if TYPE_CHECKING:
    from surefoot.watch.account import Account
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

OnScalars = Callable[[int, int, Mapping[str, float]], None]  # optimizer, step, values
OnHistogram = Callable[[int, int, str, Sequence[float], Sequence[int]], None]  # …, name, edges, counts
FIRST_OPTIMIZERS = 16  # each of which has its first steps measured
HISTOGRAM_SECONDS = 5.0  # at least, between two sets of histograms


class SignalProbe(Probe):
    name = "signals"

    def __init__(self, clipping: ClippingProbe, activations: ActivationProbe) -> None:
        self.on_scalars: OnScalars | None = None
        self.on_histogram: OnHistogram | None = None
        self.subjects: dict[int, Subject] = {}  # by id of the optimizer
        self._clipping = clipping
        self._activations = activations
        self._values: dict[int, list[float]] = {}  # losses of the window that is running, by optimizer
        self._backwards: dict[int, list[tuple[Any, bool]]] = {}  # likewise, where they were called
        self._num_attempts: dict[int, int] = {}
        self._histograms_due = 0.0
        self._num_subjects = 0  # so far
        self._next_new = 0.0  # when another one may begin, after the first ones

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        if recorder.settings.overhead <= 0:
            recorder.off.setdefault(self.name, NO_BUDGET)
            self._clipping.listen(wanted=False)
            return
        subjects, begin, end = self.subjects, self._begin, self._end

        def before(optimizer: Any, args: Any, kwargs: Any) -> None:
            subject = subjects.get(id(optimizer))
            if (subject is None or subject.is_armed) and not is_dynamo_compiling():
                closure = args[1] if len(args) > 1 else kwargs.get("closure")
                run_beside(recorder, "signals", begin, optimizer, callable(closure))

        def after(optimizer: Any, args: Any, kwargs: Any) -> None:
            subject = subjects.get(id(optimizer))
            if subject is None or is_dynamo_compiling():
                return
            subject.num_steps += 1
            if subject.sample is not None or perf_counter() >= subject.samples.due:
                run_beside(recorder, "signals", end, subject, optimizer)

        recorder.patches.on_removal(register_optimizer_step_pre_hook(before).remove)
        recorder.patches.on_removal(register_optimizer_step_post_hook(after).remove)
        recorder.patches.on_removal(subjects.clear)

    # --- the window

    def backward_ends(self, backward: Backward) -> None:
        if backward.value is not None:
            for number, _ in backward.reached:
                self._values.setdefault(number, []).append(backward.value)
        for number, _ in backward.reached:
            self._backwards.setdefault(number, []).append((backward.site, backward.retain_graph))
        self._look_at_micro_batch()

    def _look_at_micro_batch(self) -> None:
        """A backward is over, in a window that is to be recorded."""
        begun = perf_counter()
        for subject in self.subjects.values():
            if subject.is_record_armed and subject.noise.num_expected:
                for gauge in subject.gauges:
                    gauge.micro_batch()
                subject.micro_batch_seconds += perf_counter() - begun

    def step_begins(self, optimizer: Optimizer) -> None:
        self._num_attempts[id(optimizer)] = self._num_attempts.get(id(optimizer), 0) + 1

    def step_ends(self, optimizer: Optimizer) -> None:
        subject = self.subjects.get(id(optimizer))
        if subject is not None and subject.sample is None:
            self._values.pop(subject.account.id, None)
            self._backwards.pop(subject.account.id, None)

    def _loss(self, subject: Subject) -> float | None:
        account, recorder = subject.account, self._recorder
        values = self._values.pop(account.id, None)
        if values:
            subject.num_backwards = len(values)
            return sum(values) / len(values)
        number, step, loss = recorder.sleep.sampler.told
        return loss if (number, step) == (account.id, recorder.num_steps) else None

    def _arm(self, subject: Subject, now: float) -> None:
        """Sample the window that begins now, if that is due."""
        subject.is_armed = now >= subject.samples.due
        subject.is_record_armed = subject.is_armed and now >= subject.records.due
        self._clipping.listen(wanted=any(s.is_armed for s in self.subjects.values()))
        if subject.is_armed and self._recorder.sleep.nap is not None:
            self._recorder.sleep.sampler.listen()
        self._recorder.sleep.on_backward = None
        if subject.is_record_armed:
            if subject.noise.num_expected:
                self._recorder.sleep.on_backward = self._heard_asleep
            self._activations.open()
        elif not any(s.is_record_armed for s in self.subjects.values()):
            self._activations.close()

    def _heard_asleep(self) -> None:
        run_beside(self._recorder, self.name, self._look_at_micro_batch)

    # --- the step

    def _begin(self, optimizer: Optimizer, has_closure: bool) -> None:
        now = perf_counter()
        recorder = self._recorder
        account = recorder.accounts.get(optimizer)
        if account is None or len(recorder.lanes) > 1:  # several threads train: gradients are not ours to read
            return
        subject = self._subject(optimizer, account, now)
        if subject is None:
            return
        if subject.sample is not None and is_inner(optimizer):
            return
        subject.refresh(recorder.names)
        loss = self._loss(subject)
        sample = Sample(recorder.num_steps, account.num_updates, loss, has_closure, subject.is_record_armed)
        for gauge in subject.gauges:
            gauge.before()
        if not has_closure:
            self._look_at_gradients(subject, sample, optimizer)
        subject.sample = sample
        sample.seconds += perf_counter() - now - sample.record_seconds

    def _look_at_gradients(self, subject: Subject, sample: Sample, optimizer: Optimizer) -> None:
        norms = self._clipping.norms
        for gauge in subject.gauges:
            gauge.gradients(norms, closely=sample.is_record, follows=subject.follows and not sample.has_closure)
        sample.clip_factor = self._clipping.factor()
        scale = getattr(optimizer, "grad_scale", None)
        sample.scale = float(scale) if isinstance(scale, Tensor) else 1.0
        backwards = self._backwards.pop(subject.account.id, None)
        if backwards or sample.has_closure:
            alone = len(self.subjects) == 1 and not sample.has_closure
            subject.noise.expect(backwards if backwards and alone else [])
        if sample.is_record:
            begun = perf_counter()
            sample.equal_rows = subject.rows_still_equal()
            if "activations" not in self._recorder.off:
                sample.activations = self._activations.facts(subject.account.ids, self._recorder.names)
                sample.record_seconds += self._activations.seconds
            sample.record_seconds += perf_counter() - begun + subject.micro_batch_seconds
            subject.micro_batch_seconds = 0.0

    def _end(self, subject: Subject, optimizer: Optimizer) -> None:
        now, ran = perf_counter(), thread_time()
        sample, subject.sample = subject.sample, None
        if sample is not None and subject.optimizer() is optimizer:
            if sample.has_closure:
                sample.loss = self._loss(subject)
                self._look_at_gradients(subject, sample, optimizer)
            for gauge in subject.gauges:
                gauge.after()
            if subject.gauges:
                self._tell(subject, sample, join([gauge.read() for gauge in subject.gauges]), optimizer, (now, ran))
            self._clipping.drop(subject.params)
            subject.measured_at = (subject.num_steps, perf_counter())
        self._arm(subject, perf_counter())

    def _tell(
        self, subject: Subject, sample: Sample, measured: Measured, optimizer: Optimizer, begun: tuple[float, float]
    ) -> None:
        recorder, number, now = self._recorder, subject.account.id, begun[0]
        grad_norm = length(measured.grad_norms) / sample.scale
        subject.heard(sample.loss, grad_norm)
        seconds = self._step_seconds(subject, sample, now)
        if self.on_scalars is not None:
            whole = whole_scalars(measured, sample, grad_norm, seconds, subject.num_backwards, self._activations)
            self.on_scalars(number, sample.step, whole | subject.scalars(measured, sample.scale))
        over = perf_counter()
        sample.seconds += over - now
        subject.samples.spent(sample.seconds, over, subject.share_run(begun, over))
        if not sample.is_record:
            return
        if measured.squares and self._activations.batch_size:
            subject.noise.add(measured.squares, self._activations.batch_size)
        if self.on_scalars is not None:
            attempts = self._num_attempts.get(id(optimizer), 0)
            self.on_scalars(number, sample.step, slow_scalars(subject, measured, optimizer, recorder, attempts))
        self._count(subject, sample, over)
        facts = record_of(subject, sample, measured, grad_norm, seconds, optimizer, recorder)
        subject.told()
        recorder.emit(facts)
        done = perf_counter()
        subject.records.spent(sample.record_seconds + done - over, done, subject.share_run(begun, done))
        self._next_new = max(self._next_new, subject.records.due)

    def _count(self, subject: Subject, sample: Sample, now: float) -> None:
        if self.on_histogram is None or now < self._histograms_due:
            return
        self._histograms_due = now + HISTOGRAM_SECONDS
        for name, edges, counts in histograms(subject):
            self.on_histogram(subject.account.id, sample.step, name, edges, counts)

    def _step_seconds(self, subject: Subject, sample: Sample, now: float) -> float | None:
        """On average since the last sample, without what measuring costs."""
        if subject.measured_at is None:
            return None
        num_steps, at = subject.measured_at
        return (now - at - sample.seconds) / max(1, subject.num_steps - num_steps)

    def _subject(self, optimizer: Optimizer, account: Account, now: float) -> Subject | None:
        """None for an optimizer that must wait: a program that makes them all the time has used up its first steps."""
        subject = self.subjects.get(id(optimizer))
        if subject is None or subject.optimizer() is not optimizer:
            self._num_subjects += 1
            is_early = self._num_subjects <= FIRST_OPTIMIZERS
            if not is_early and now < self._next_new:
                return None
            key, overhead = id(optimizer), self._recorder.settings.overhead
            gone = weakref.ref(optimizer, lambda ref: self._drop(key, ref))
            subject = self.subjects[key] = Subject(gone, account, overhead, FIRST if is_early else 0)
        return subject

    def _drop(self, key: int, ref: weakref.ref[Optimizer]) -> None:
        """An optimizer is gone: keep nothing of it alive."""
        subject = self.subjects.get(key)
        if subject is not None and subject.optimizer is ref:
            del self.subjects[key]
            self._num_attempts.pop(key, None)
