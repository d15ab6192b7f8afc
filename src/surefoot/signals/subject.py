"""One optimizer, as far as it is measured: what its parameters are, when it is due, what the running sample holds."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import thread_time

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import ActivationFacts, ParameterSignals
from surefoot.signals.buffer import MOST_BYTES
from surefoot.signals.clipping import Kept, factor
from surefoot.signals.gauge import Gauge, Measured
from surefoot.signals.noise import NoiseScale
from surefoot.signals.rhythm import HURRY_RECORDS, HURRY_SAMPLES, Rhythm, record_rhythm, sample_rhythm
from surefoot.signals.rows import EqualRows
from surefoot.signals.subset import is_measurable
from surefoot.signals.unrest import Unrest
from surefoot.watch.account import Account
from surefoot.watch.name import Names
from surefoot.watch.provenance import Ledger

MOST_LOSSES = 64  # kept between two records; then neighbours are averaged
PATIENCE_SECONDS = 0.25  # how long a sample may wait to be read with others

Write = Callable[[Mapping[str, float]], None]  # a row of the log


@dataclass(slots=True)
class Sample:
    """What is known of a sampled step besides what its gauges hold."""

    step: int
    update: int
    loss: float | None
    has_closure: bool
    is_record: bool
    limits: list[tuple[Kept, Kept]] = field(default_factory=list)  # of clipping, with what was clipped
    kept_scale: Kept = 1.0
    clip_factor: float = 1.0  # these two when it is read
    scale: float = 1.0  # still in the gradients: a fused optimizer divides by it itself
    step_seconds: float | None = None
    num_items: int = 0  # 0: not known
    write: Write | None = None  # asked for at the step, so that the row is of that step, whenever it is read
    seconds: float = 0.0  # spent on measuring so far
    record_seconds: float = 0.0
    activations: tuple[ActivationFacts, ...] = ()
    equal_rows: list[int] = field(default_factory=list)

    def settle(self) -> None:
        """It is being read: from now on nothing of it is on a device."""
        self.clip_factor, self.scale = factor(self.limits), float(self.kept_scale)


class Subject:
    def __init__(
        self, optimizer: weakref.ref[Optimizer], account: Account, overhead: float, num_first: int
    ) -> None:  # fmt: skip
        self.optimizer = optimizer
        self.account = account
        self.samples = sample_rhythm(overhead, num_first)
        self.records = record_rhythm(overhead, num_first)
        self.is_armed = True  # the window that is running is to be sampled
        self.is_record_armed = True
        self.sample: Sample | None = None  # between the begin and the end of a step
        self.waiting: list[Sample] = []  # taken and not read yet
        self.read_by = math.inf  # when the oldest of them has waited long enough
        self.num_steps = 0  # taken
        self.measured_at: tuple[int, float] | None = None  # number of steps and time of the last sample
        self.losses: list[float] = []  # since the last record
        self.highest_grad_norm = 0.0
        self.num_backwards = 1  # in a window
        self.noise = NoiseScale()
        self.unrest = Unrest()
        self.micro_batch_seconds = 0.0  # spent on looking at them in the window
        self.gauges: list[Gauge] = []
        self.names: list[str] = []
        self.params: list[Tensor] = []
        self._series: list[tuple[str, str, str]] = []  # by parameter
        self.updates_in_place = type(optimizer()).__module__.startswith("torch.optim.")  # all of torch's own do
        self._is_on_host = False
        self._num_slots = 1  # samples that can be read together
        self._ledger: weakref.ref[Ledger] | None = None  # for which the gauges were made
        self._wanted: list[bool] = []  # by parameter, whether it was to be trained then
        self._equal_rows: EqualRows | None = None

    def is_current(self) -> bool:
        """Whether the gauges are those of its parameters: no other ones, shapes, or device."""
        ledger = self.account.ledger
        known = self._ledger is not None and self._ledger() is ledger
        known = known and [param.requires_grad for param in ledger.params] == self._wanted
        return known and all(gauge.is_current() for gauge in self.gauges)

    def renew(self, names: Names) -> None:
        """Follow changes of the parameters."""
        ledger = self.account.ledger
        params, self._ledger = ledger.params, weakref.ref(ledger)
        self._wanted = [param.requires_grad for param in params]
        by_device: dict[torch.device, dict[int, Tensor]] = {}
        for i, param in enumerate(params):
            if is_measurable(param) and param.requires_grad:
                by_device.setdefault(param.device, {})[i] = param
        self.gauges = [Gauge(some, MOST_BYTES // len(by_device)) for some in by_device.values()]
        self._num_slots = min((gauge.num_slots for gauge in self.gauges), default=1)
        self.params = list(params)
        self.names = [names.of(param) for param in params]
        self._series = [(f"grad_norm/{name}", f"param_norm/{name}", f"update_ratio/{name}") for name in self.names]
        self._is_on_host = all(param.is_cpu for param in params)
        if self._equal_rows is None:
            self._equal_rows = EqualRows(self._measured_params())

    @property
    def follows(self) -> bool:
        """Whether the step before this one was sampled."""
        return self.measured_at is not None and self.measured_at[0] == self.num_steps

    def time_run(self) -> float:
        """Seconds that this thread has run, if they matter to a rhythm: asking the system is felt."""
        return thread_time() if self.samples.has_credit or self.records.has_credit else 0.0

    def share_run(self, begun: tuple[float, float], now: float, rhythm: Rhythm) -> float:
        """Of the time since then, how much this thread ran, if it matters to the rhythm.

        All of it where it may have waited for a device.
        """
        if not rhythm.has_credit or now <= begun[0] or not self._is_on_host:
            return 1.0
        return min(1.0, (thread_time() - begun[1]) / (now - begun[0]))

    def step_seconds(self, sample: Sample, now: float) -> float | None:
        """On average since the last sample, without what measuring costs."""
        if self.measured_at is None:
            return None
        num_steps, at = self.measured_at
        return (now - at - sample.seconds) / max(1, self.num_steps - num_steps)

    # --- samples that wait

    def wait(self, sample: Sample, now: float) -> None:
        if not self.waiting:
            self.read_by = now + PATIENCE_SECONDS
        self.waiting.append(sample)

    def is_reading_due(self, now: float) -> bool:
        """Whether there is no room for another sample, a record may come next, or all that comes next is too late."""
        if not self.waiting or len(self.waiting) >= self._num_slots or now >= self.records.due:
            return bool(self.waiting)
        pace = self.waiting[-1].step_seconds
        return pace is None or max(self.samples.due, now + pace) > self.read_by

    def take_waiting(self) -> list[Sample]:
        waiting, self.waiting, self.read_by = self.waiting, [], math.inf
        return waiting

    def let_go(self) -> None:
        """Keep no parameter alive; what waits can still be read."""
        self.params, self._equal_rows, self.sample = [], None, None
        for gauge in self.gauges:
            gauge.let_go()

    # --- what is told

    def hear_loss(self, loss: float) -> None:
        """Of a step that need not be sampled."""
        if self.unrest.hears(loss):
            self.samples.hurry(HURRY_SAMPLES)
            self.records.hurry(HURRY_RECORDS)

    def rows_still_equal(self) -> list[int]:
        return [] if self._equal_rows is None else self._equal_rows.look(dict(self._measured_params()))

    def heard(self, loss: float | None, grad_norm: float) -> None:
        if loss is not None:
            self.losses.append(loss)
            if len(self.losses) > MOST_LOSSES:
                last = self.losses.pop() if len(self.losses) % 2 else None
                pairs = zip(self.losses[::2], self.losses[1::2], strict=True)
                self.losses = [(a + b) / 2 for a, b in pairs] + ([] if last is None else [last])
        self.highest_grad_norm = max(self.highest_grad_norm, grad_norm)

    def told(self) -> None:
        """A record was made."""
        self.losses, self.highest_grad_norm = [], 0.0

    def signals(self, measured: Measured, scale: float) -> tuple[ParameterSignals, ...]:
        facts = []
        for i in sorted(measured.norms):
            norm = measured.grad_norms.get(i)
            facts.append(
                ParameterSignals(
                    name=self.names[i],
                    num_dims=self.params[i].ndim,
                    num_elements=self.params[i].numel(),
                    grad_norm=None if norm is None else _short(norm / scale),
                    norm=_short(measured.norms[i]),
                    update_norm=_short(measured.update_norms[i]),
                    zeros=_short(measured.zeros.get(i, 0.0)),
                )
            )
        return tuple(facts)

    def add_scalars(self, values: dict[str, float], measured: Measured, scale: float) -> None:
        """By name of the series, one of each kind a parameter."""
        for i, norm in measured.norms.items():
            gradient, weight, ratio = self._series[i]
            values[gradient] = measured.grad_norms.get(i, math.nan) / scale
            values[weight] = norm
            values[ratio] = measured.update_norms[i] / norm if norm else math.nan
        for i, share in measured.zeros.items():
            values["grad_zeros/" + self.names[i]] = share

    def _measured_params(self) -> list[tuple[int, Tensor]]:
        return [(i, self.params[i]) for gauge in self.gauges for i in gauge.indices]


def join(measured: list[Measured]) -> Measured:
    """Of parameters on several devices."""
    if len(measured) == 1:
        return measured[0]
    whole = Measured({}, {}, {}, {}, 0.0, 0.0)
    for part in measured:
        whole.grad_norms |= part.grad_norms
        whole.norms |= part.norms
        whole.update_norms |= part.update_norms
        whole.zeros |= part.zeros
        whole.descent = _sum(whole.descent, part.descent)
        whole.overshoot = _sum(whole.overshoot, part.overshoot)
        pairs = zip(whole.squares or [0.0] * len(part.squares), part.squares, strict=False)
        whole.squares = [a + b for a, b in pairs]
    return whole


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def length(norms: Mapping[int, float]) -> float:
    """Of all together."""
    return math.sqrt(sum(norm * norm for norm in norms.values()))


def _short(number: float) -> float:
    """Six digits are more than is known, and are stored in half the space."""
    return float(f"{number:.6g}")
