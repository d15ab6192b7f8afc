"""Read samples and tell them: a record at once, the others some at a time.

After a step of training the caches hold nothing of ours: reading one sample alone costs several times what it costs
as one of many, when all but the first find the code warm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from torch.optim import Optimizer

from surefoot.signals.activation import ActivationProbe
from surefoot.signals.gauge import Measured
from surefoot.signals.subject import Sample, Subject, Write, join, length
from surefoot.signals.tell import histograms, record_of, scalars, slow_scalars

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

RowFor = Callable[[int, int], Write]  # of an optimizer and its step that was just taken
OnHistogram = Callable[[int, int, str, Sequence[float], Sequence[int]], None]  # optimizer, step, name, edges, counts
HISTOGRAM_SECONDS = 5.0  # at least, between two sets of histograms


class Teller:
    def __init__(self, activations: ActivationProbe) -> None:
        self.row_for: RowFor | None = None
        self.on_histogram: OnHistogram | None = None
        self._activations = activations
        self._histograms_due = 0.0

    def taken(self, subject: Subject, sample: Sample, begun: tuple[float, float]) -> None:
        """A sample is complete but for what its gauges hold: note what is known only now. It waits, unless a record."""
        sample.step_seconds = subject.step_seconds(sample, begun[0])
        sample.num_items = (self._activations.batch_size or 0) * subject.num_backwards
        if self.row_for is not None:
            sample.write = self.row_for(subject.account.id, sample.step)
        if not sample.is_record:
            now = perf_counter()
            subject.wait(sample, now)
            self._count_sample(subject, sample, begun, now)

    def read(self, subject: Subject) -> None:
        """Tell all samples that wait, in the order of their steps."""
        waiting = subject.take_waiting()
        if not waiting:
            return
        begun = perf_counter(), subject.time_run()
        parts = [gauge.read_all() for gauge in subject.gauges]
        for sample, *measured in zip(waiting, *parts, strict=True):
            _tell(subject, sample, join(measured))
        now = perf_counter()
        subject.samples.spent_later(now - begun[0], now, subject.share_run(begun, now, subject.samples))
        if subject.measured_at is not None:  # a step does not take longer for that
            num_steps, at = subject.measured_at
            subject.measured_at = (num_steps, at + now - begun[0])

    def record(
        self, subject: Subject, sample: Sample, optimizer: Optimizer, recorder: Recorder, num_attempts: int,
        begun: tuple[float, float],
    ) -> None:  # fmt: skip
        """Tell a sample that is a record; none waits any more."""
        measured = join([gauge.read() for gauge in subject.gauges])
        grad_norm = _tell(subject, sample, measured)
        over = perf_counter()
        self._count_sample(subject, sample, begun, over)
        if measured.squares and self._activations.batch_size:
            subject.noise.add(measured.squares, self._activations.batch_size)
        if sample.write is not None:
            sample.write(slow_scalars(subject, measured, optimizer, recorder, num_attempts))
        self._count(subject, sample, over)
        facts = record_of(subject, sample, measured, grad_norm, optimizer, recorder)
        subject.told()
        recorder.emit(facts)
        done = perf_counter()
        ran = subject.share_run(begun, done, subject.records)
        subject.records.spent(sample.record_seconds + done - over, done, ran)

    def _count_sample(self, subject: Subject, sample: Sample, begun: tuple[float, float], now: float) -> None:
        sample.seconds += now - begun[0]
        subject.samples.spent(sample.seconds, now, subject.share_run(begun, now, subject.samples))

    def _count(self, subject: Subject, sample: Sample, now: float) -> None:
        if self.on_histogram is None or now < self._histograms_due:
            return
        self._histograms_due = now + HISTOGRAM_SECONDS
        for name, edges, counts in histograms(subject):
            self.on_histogram(subject.account.id, sample.step, name, edges, counts)


def _tell(subject: Subject, sample: Sample, measured: Measured) -> float:
    """Hand over its row; the norm of its gradient."""
    sample.settle()
    grad_norm = length(measured.grad_norms) / sample.scale
    subject.heard(sample.loss, grad_norm)
    if sample.write is not None:
        sample.write(scalars(subject, measured, sample, grad_norm))
    return grad_norm
