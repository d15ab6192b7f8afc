"""Measure sampled steps: arm a window when it is due, look before the update and after it, have it told.

The hooks are its own, so that a recorder that sleeps (`watch/doze.py`) is not woken; in a window that is not sampled
they cost a look at the clock.
"""

from __future__ import annotations

import os
import weakref
from time import perf_counter
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from surefoot.signals.activation import NO_BUDGET, ActivationProbe
from surefoot.signals.clipping import ClippingProbe, kept
from surefoot.signals.rhythm import FIRST
from surefoot.signals.subject import Sample, Subject
from surefoot.signals.teller import Teller
from surefoot.watch.beside import run_beside
from surefoot.watch.probe import Probe
from surefoot.watch.step import is_inner

if TYPE_CHECKING:
    from surefoot.watch.account import Account
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

FIRST_OPTIMIZERS = 16  # each of which has its first steps measured


class SignalProbe(Probe):
    name = "signals"

    def __init__(self, clipping: ClippingProbe, activations: ActivationProbe) -> None:
        self.teller = Teller(activations)
        self.subjects: dict[int, Subject] = {}  # by id of the optimizer
        self._gone: list[Subject] = []  # whose optimizers are gone, with samples that wait
        self._clipping = clipping
        self._activations = activations
        self._values: dict[int, list[float]] = {}  # losses of the window that is running, by optimizer
        self._backwards: dict[int, list[tuple[Any, bool]]] = {}  # likewise, where they were called
        self._num_attempts: dict[int, int] = {}
        self._num_subjects = 0  # so far
        self._next_new = 0.0  # when another one may begin, after the first ones

    def install(self, recorder: Recorder) -> None:
        self._recorder, self._pid = recorder, os.getpid()
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
            if subject.sample is not None or (now := perf_counter()) >= subject.samples.due or now >= subject.read_by:
                run_beside(recorder, "signals", end, subject, optimizer)

        recorder.patches.on_removal(register_optimizer_step_pre_hook(before).remove)
        recorder.patches.on_removal(register_optimizer_step_post_hook(after).remove)
        recorder.patches.on_removal(self._close)

    def hear_loss(self, number: int, loss: float) -> None:
        """Of a step of that optimizer."""
        for subject in self.subjects.values():
            if subject.account.id == number:
                subject.hear_loss(loss)

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
        was_sampled = subject.is_armed and not subject.is_record_armed
        subject.is_armed = now >= subject.samples.due
        subject.is_record_armed = subject.is_armed and now >= subject.records.due
        if subject.is_armed and self._recorder.sleep.nap is not None:
            self._recorder.sleep.sampler.listen()
        self._recorder.sleep.on_backward = None
        if was_sampled and subject.is_armed and not subject.is_record_armed and not self._activations.is_open:
            return  # as the window before
        self._clipping.listen(wanted=any(s.is_armed for s in self.subjects.values()))
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
        if not subject.is_current():
            self.teller.read(subject)
            subject.renew(recorder.names)
        loss = self._loss(subject)
        sample = Sample(recorder.num_steps, account.num_updates, loss, has_closure, subject.is_record_armed)
        for gauge in subject.gauges:
            gauge.before(closely=sample.is_record, follows=subject.follows)
        if not has_closure:
            self._look_at_gradients(subject, sample, optimizer)
        subject.sample = sample
        sample.seconds += perf_counter() - now - sample.record_seconds

    def _look_at_gradients(self, subject: Subject, sample: Sample, optimizer: Optimizer) -> None:
        norms = self._clipping.norms
        for gauge in subject.gauges:
            gauge.gradients(norms, closely=sample.is_record, follows=subject.follows and not sample.has_closure)
        sample.limits = self._clipping.limits()
        scale = getattr(optimizer, "grad_scale", None)
        sample.kept_scale = kept(scale) if isinstance(scale, Tensor) else 1.0
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
        begun = perf_counter(), subject.time_run()
        sample, subject.sample = subject.sample, None
        if sample is not None and subject.optimizer() is optimizer:
            if sample.has_closure:
                sample.loss = self._loss(subject)
                self._look_at_gradients(subject, sample, optimizer)
            for gauge in subject.gauges:
                gauge.after(in_place=subject.updates_in_place)
            if subject.gauges:
                self._take(subject, sample, optimizer, begun)
            self._clipping.drop(subject.params)
            subject.measured_at = (subject.num_steps, perf_counter())
        now = perf_counter()
        if subject.is_reading_due(now):
            self.teller.read(subject)
        while self._gone:
            self.teller.read(self._gone.pop(0))
        self._arm(subject, now)  # as of then: what is to be recorded finds nothing that waits

    def _take(self, subject: Subject, sample: Sample, optimizer: Optimizer, begun: tuple[float, float]) -> None:
        self.teller.taken(subject, sample, begun)
        if sample.is_record:
            attempts = self._num_attempts.get(id(optimizer), 0)
            self.teller.record(subject, sample, optimizer, self._recorder, attempts, begun)
            self._next_new = max(self._next_new, subject.records.due)

    # --- the end

    def tell_all(self) -> None:
        """Tell what waits, before there is nobody to be told."""
        for subject in [*self._gone, *self.subjects.values()]:
            if subject.waiting:
                subject.sample = None  # of a step that is under way, whose weights lie where the next ones will
                self.teller.read(subject)
        self._gone.clear()

    def _close(self) -> None:
        if os.getpid() == self._pid:  # in a forked child it is the parent who tells
            self._recorder.attempt(self, self.tell_all)
        self._gone.clear()
        self.subjects.clear()

    # --- whose steps

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
            if subject.waiting:  # read at the next step: any code may be running now
                subject.let_go()
                self._gone.append(subject)
