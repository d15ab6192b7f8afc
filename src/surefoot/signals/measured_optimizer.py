"""One optimizer, as far as it is measured: its parameters, its schedule, and the sample that is being taken."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import ActivationFacts
from surefoot.signals.clipping import Limits
from surefoot.signals.equal_rows import EqualRows
from surefoot.signals.gauge import Gauge, Measured
from surefoot.signals.noise import NoiseScale
from surefoot.signals.sampling import Schedule, num_first_updates
from surefoot.signals.tensors import is_readable, local
from surefoot.watch.name import Names
from surefoot.watch.provenance import Ledger
from surefoot.watch.tracked_optimizer import TrackedOptimizer

MOST_LOSSES = 64  # kept between two records; then neighbours are averaged


@dataclass(slots=True)
class Sample:
    """What is known of a sampled step besides what its gauges hold."""

    has_closure: bool
    is_record: bool
    step: int = 0
    update: int = 0
    loss: float | None = None
    num_backwards: int = 0
    limits: Limits = field(default_factory=list)  # of clipping; they and the scale are read after the update
    scale: float | Tensor = 1.0  # still in the gradients: a fused optimizer divides by it itself
    seconds: float = 0.0  # spent on measuring before the update
    step_seconds: float | None = None
    activations: tuple[ActivationFacts, ...] = ()
    equal_rows: list[int] = field(default_factory=list)


class MeasuredOptimizer:
    def __init__(self, optimizer: weakref.ref[Optimizer], tracked: TrackedOptimizer, overhead: float) -> None:
        self.optimizer = optimizer
        self.tracked = tracked
        params = tracked.ledger.params
        num_elements = sum(param.numel() for param in params)
        self.schedule = Schedule(num_elements, len(params), overhead, num_first_updates(tracked.id, len(params)))
        self.num_records = 0
        self.is_armed = self.is_record_armed = False  # the window that is running is to be sampled, or recorded
        self.arm_first()
        self.sample: Sample | None = None  # between the begin and the end of a step
        self.measured_at: tuple[int, float] | None = None  # number of updates and time of the last sample
        self.losses: list[float] = []  # of samples since the last record
        self.highest_grad_norm = 0.0  # likewise
        self.noise = NoiseScale()
        self.params: list[Tensor] = []
        self.names: list[str] = []
        self.gauges: list[Gauge] = []
        self._ledger: weakref.ref[Ledger] | None = None  # for which the gauges were made
        self._trained: list[bool] = []  # by parameter, whether it required a gradient then
        self._left_out: list[Tensor] = []  # trained, and not readable: for the moment, where FSDP has freed them
        self._equal_rows: EqualRows | None = None

    def arm_first(self) -> None:
        """The window is about to end: it is the first that is seen of this optimizer."""
        self.is_armed = self.schedule.is_sampled(self.tracked.num_updates)
        self.is_record_armed = self.is_armed and self.schedule.is_recorded(self.tracked.num_updates)

    def arm(self) -> None:
        """The next window begins."""
        update = self.tracked.num_updates + 1
        self.is_armed = self.schedule.is_sampled(update)
        self.is_record_armed = self.is_armed and self.schedule.is_recorded(update)

    def ask_for_next(self) -> None:
        """A sampled window is over: ask for the next one, which may be the one that begins."""
        self.arm()
        self.tracked.windows.wanted_at = self.schedule.next_sampled(self.tracked.num_updates + 1)

    def follow_changes(self, names: Names) -> None:
        """Make gauges for the parameters as they are: others may be trained now, or lie elsewhere."""
        ledger = self.tracked.ledger
        is_known = self._ledger is not None and self._ledger() is ledger
        trained = [param.requires_grad for param in ledger.params]
        has_grown = any(is_readable(local(param)) for param in self._left_out)
        if is_known and trained == self._trained and self.are_readable() and not has_grown:
            return
        self._ledger, self._trained = weakref.ref(ledger), trained
        self.params = list(ledger.params)
        self.names = [names.of(param) for param in self.params]
        by_device: dict[torch.device, dict[int, Tensor]] = {}
        self._left_out = []
        for i, param in enumerate(self.params):
            if param.requires_grad and is_readable(local(param)):
                by_device.setdefault(param.device, {})[i] = param
            elif param.requires_grad:
                self._left_out.append(param)
        self.gauges = [Gauge(some) for some in by_device.values()]
        if self._equal_rows is None:
            self._equal_rows = EqualRows(self._measured_params())

    def are_readable(self) -> bool:
        """Whether the gauges can read their parameters."""
        return all(gauge.is_current() for gauge in self.gauges)

    @property
    def follows(self) -> bool:
        """Whether the update before this one was sampled."""
        return self.measured_at is not None and self.measured_at[0] == self.tracked.num_updates - 1

    def step_seconds(self, sample: Sample, now: float) -> float | None:
        """On average since the last sample, without what measuring costs."""
        if self.measured_at is None:
            return None
        num_updates, at = self.measured_at
        return (now - at - sample.seconds) / max(1, self.tracked.num_updates - num_updates)

    def read(self) -> Measured:
        return Measured.join(gauge.read() for gauge in self.gauges)

    def rows_still_equal(self) -> list[int]:
        return [] if self._equal_rows is None else self._equal_rows.look(dict(self._measured_params()))

    def add_to_record(self, loss: float | None, grad_norm: float) -> None:
        """What the next record tells of the samples before it."""
        if loss is not None:
            self.losses.append(loss)
            if len(self.losses) > MOST_LOSSES:
                last = self.losses.pop() if len(self.losses) % 2 else None
                pairs = zip(self.losses[::2], self.losses[1::2], strict=True)
                self.losses = [(a + b) / 2 for a, b in pairs] + ([] if last is None else [last])
        self.highest_grad_norm = max(self.highest_grad_norm, grad_norm)

    def forget_recorded(self) -> None:
        self.losses, self.highest_grad_norm = [], 0.0

    def _measured_params(self) -> list[tuple[int, Tensor]]:
        return [(i, self.params[i]) for gauge in self.gauges for i in gauge.indices]
