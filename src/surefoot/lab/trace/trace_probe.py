"""Turn what the watch sees into stages: its events, with values before and after each.

The probe is installed first, so that its wrappers lie below those of the other probes: when ours run, the event has
been noted, or is noted next.
"""

from __future__ import annotations

from collections.abc import Hashable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from torch.compiler import is_dynamo_compiling
from torch.nn.utils import clip_grad
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_pre_hook

from surefoot.facts import BackwardFacts, EpochEdgeFacts, Record, SetupFacts, Site, StepFacts, ValidationFacts
from surefoot.lab.trace.epoch import Epochs
from surefoot.lab.trace.event import Events
from surefoot.lab.trace.snapshot import Gradients, Weights
from surefoot.lab.trace.stage import Backward, Data, Edit, Loss, Step
from surefoot.lab.trace.tensor import items_of
from surefoot.lab.trace.tracer import Tracer
from surefoot.watch.journal import Build
from surefoot.watch.probe import Probe
from surefoot.watch.step import is_inner

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward as RunningBackward
    from surefoot.watch.epoch import Pass
    from surefoot.watch.recorder import Recorder

CLIPS = (
    (clip_grad, "clip_grad_value_"), (torch.nn.utils, "clip_grad_value_"), (clip_grad, "_clip_grads_with_norm_"),
    (torch.nn.utils, "clip_grads_with_norm_"),
)  # fmt: skip
SETTINGS = ("momentum", "dampening", "weight_decay", "betas", "eps", "alpha", "nesterov", "maximize", "amsgrad")


class TraceProbe(Probe):
    name = "trace"

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self.epochs = Epochs()
        self.optimizers: dict[int, str] = {}
        self._backwards: dict[int, tuple[Loss, Backward]] = {}  # that are running, by ordinal
        self._weights: dict[int, Weights] = {}  # of steps that are running, by id of the optimizer
        self._steps: dict[int, Step] = {}  # likewise; one may call another
        self._judged: Step | None = None  # the one that began last

    def install(self, recorder: Recorder) -> None:
        self._recorder = self._tracer.recorder = recorder
        self._gradients = Gradients(recorder)
        self._events = Events(recorder, self._tracer, self._gradients)
        recorder.journal.listener = self._receive
        listen = recorder.tap.listen
        recorder.on_batch.append(self._gave)
        listen(torch.autograd, "backward", self.name, before=_now, after=self._took)
        for cleared in (torch.optim.Optimizer, torch.nn.Module):
            listen(cleared, "zero_grad", self.name, after=self._cleared)
        for owner, name in CLIPS:
            if hasattr(owner, name):
                listen(owner, name, self.name, before=self._clips)
        recorder.tap.on_removal(register_optimizer_step_pre_hook(self._before_step).remove)

    # --- wrappers

    def _cleared(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        self._events.cleared()

    def _clips(self, args: Any, kwargs: Any) -> None:
        self._catch_up("clip")

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if is_dynamo_compiling() or is_inner(optimizer):
            return
        if self._recorder.inside_step is None:
            self._tracer.end_if_over()
        self._recorder.tap.run(self.name, self._about_to_step, optimizer)

    # --- what happens

    def _gave(self, running: Pass, batch: Any, seconds: float) -> None:
        self._tracer.end_if_over()
        if self._tracer.begins():
            site = self._recorder.sites.here()
            number, length = running.num_batches, running.loader.length
            self._tracer.add(
                Data(step=0, site=site, number=number, length=length, seconds=seconds, items=items_of(batch))
            )

    def _catch_up(self, before: str) -> None:
        """Tell what the program did to gradients by itself."""
        if not self._tracer.is_open:
            return
        changes = self._gradients.changes()
        if changes:
            self._tracer.add(Edit(step=0, before_stage=before, changes=tuple(changes)))

    def _about_to_step(self, optimizer: Optimizer) -> None:
        if self._tracer.begins() or self._tracer.is_open:
            params = [p for group in optimizer.param_groups for p in group["params"]]
            self._weights[id(optimizer)] = Weights(params)

    def backward_begins(self, backward: RunningBackward) -> None:
        if not self._recorder.thread_states.here().backward_stack and backward.inside_step is None:
            self._tracer.end_if_over()
        if not self._tracer.begins():
            return
        self._catch_up("backward")
        loss = Loss(step=0, backward=backward.ordinal)
        stage = Backward(step=0, site=backward.site, backward=backward.ordinal)
        self._tracer.add(loss)
        self._tracer.add(stage)
        self._backwards[backward.ordinal] = (loss, stage)

    def _took(self, started: float | None, args: Any, kwargs: Any, result: Any) -> None:
        seconds = 0.0 if started is None else perf_counter() - started
        running = self._recorder.thread_states.here().backward_stack
        if running and (begun := self._backwards.get(running[-1].ordinal)) is not None:
            begun[1].seconds = seconds

    def _receive(self, at: int, key: Hashable, build: Build) -> None:
        self._recorder.tap.attempt(self.name, self._note, at, build)

    def _note(self, at: int, build: Build) -> None:
        fact = build(at)
        if isinstance(fact, BackwardFacts):
            self.epochs.backward(fact, self._recorder.num_steps)
            if (begun := self._backwards.pop(fact.ordinal, None)) is not None:
                self._events.backward(fact, *begun)
            return
        if isinstance(fact, EpochEdgeFacts):
            self.epochs.edge(fact, self._recorder.num_steps)
        if self._tracer.is_open:
            self._events.note(fact)

    # --- steps

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return None
        self.optimizers[tracked.id] = type(optimizer).__name__
        if not self._tracer.is_open:
            return None
        self._catch_up("step")
        self._recorder.record_due = True
        self._judged = self._steps[id(optimizer)] = Step(
            step=self._recorder.num_steps,
            optimizer=tracked.id,
            name=type(optimizer).__name__,
            update=tracked.num_updates,
            settings=_settings(optimizer),
            rates=_rates(optimizer),
        )
        kept = self._weights.get(id(optimizer))
        if kept is not None:
            kept.keep(tracked.ledger)
        return None

    def recorded(self, record: Record) -> None:
        """All that the watch tells of a step, just before its update; with a closure, after it."""
        if isinstance(record, SetupFacts):
            self._events.schedulers = {s.id: s.kind for s in record.schedulers}
        if isinstance(record, ValidationFacts):
            self.epochs.held_out(record)
        step = self._judged
        if not isinstance(record, StepFacts) or step is None or step.step != record.index:
            return
        step.site, step.closure, step.skipped = record.site, record.closure, record.skipped
        step.window = tuple(sorted({s for g in record.gradients if g.present for s in g.sources}))
        step.inside_step = record.inside_step
        if step.skipped:  # there is no end of it
            self._steps = {key: other for key, other in self._steps.items() if other is not step}
            self._add(step)

    def found(self, text: str) -> None:
        """A rule says something about the step that is judged."""
        if self._judged is not None:
            self._judged.findings.append(text)

    def step_ends(self, optimizer: Optimizer) -> None:
        step = self._steps.pop(id(optimizer), None)
        weights = self._weights.pop(id(optimizer), None)
        if step is not None and weights is not None:
            step.changes = weights.changes(self._recorder)
            step.num_without_gradient = weights.num_without_gradient
            self._add(step)
        else:
            tracked = self._recorder.optimizers.get(optimizer)
            self._done(None if tracked is None else tracked.step_site)

    def _add(self, step: Step) -> None:
        self._tracer.add(step)
        self._gradients.changes()  # an optimizer may write to them
        self._done(step.site)

    def _done(self, site: Site | None) -> None:
        if self._recorder.inside_step is not None:
            return  # of another optimizer, whose step called this one
        was_open = self._tracer.is_open
        self._tracer.stepped(self._recorder.num_steps, site)
        if self._tracer.is_open and not was_open:
            self._gradients.changes()
        self._events.look_at_rates()


def _now(args: Any, kwargs: Any) -> float:
    return perf_counter()


def _settings(optimizer: Optimizer) -> dict[str, tuple[float, ...]]:
    group = optimizer.param_groups[0] if optimizer.param_groups else {}
    settings: dict[str, tuple[float, ...]] = {}
    for name in SETTINGS:
        value = group.get(name)
        if isinstance(value, bool | int | float) and value:
            settings[name] = (float(value),)
        elif isinstance(value, tuple | list):
            settings[name] = tuple(float(part) for part in value)
    return settings


def _rates(optimizer: Optimizer) -> tuple[float, ...]:
    return tuple(float(group["lr"]) for group in optimizer.param_groups if group.get("lr") is not None)
