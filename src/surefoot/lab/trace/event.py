"""Events of the watch's journal, as stages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.facts import BackwardFacts, ClearFacts, ClipFacts, EpochEdgeFacts, Event, ScheduleStepFacts, UnscaleFacts
from surefoot.lab.trace.snapshot import Gradients
from surefoot.lab.trace.stage import Backward, Clear, Clip, Loss, Pass, Rate, Schedule, Unscale, Values
from surefoot.lab.trace.tracer import Tracer

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

TORCH_EPSILON = 1e-6  # that `clip_grad_norm_` adds to the norm


class Events:
    def __init__(self, recorder: Recorder, tracer: Tracer, gradients: Gradients) -> None:
        self._recorder = recorder
        self._tracer = tracer
        self._gradients = gradients
        self._rates: dict[int, Values] = {}  # by optimizer, as they were when last looked at
        self._clear: tuple[Clear, set[str]] | None = None  # that is about to happen, and what no step has used
        self.schedulers: dict[int, str] = {}  # class names

    def note(self, fact: Event) -> None:
        if isinstance(fact, ClearFacts):
            self._clears(fact)
        elif isinstance(fact, ClipFacts):
            self._clipped(fact)
        elif isinstance(fact, UnscaleFacts):
            changes = tuple(self._gradients.changes())
            self._tracer.add(
                Unscale(step=0, site=fact.site, optimizer=fact.optimizer, scale=fact.scale, changes=changes)
            )
        elif isinstance(fact, ScheduleStepFacts):
            self._scheduled(fact)
        elif isinstance(fact, EpochEdgeFacts):
            self._edge(fact)

    def backward(self, fact: BackwardFacts, loss: Loss, stage: Backward) -> None:
        """Fill in the stages that were put in place when it began."""
        loss.site = fact.site if fact.loss is None else fact.loss.site or fact.site
        loss.value, loss.wiring = fact.value, fact.loss
        stage.changes = tuple(self._gradients.changes())
        stage.norm = _norm([c.after for c in stage.changes])
        stage.num_params = sum(held.is_owned and held.param.requires_grad for held in self._gradients.held())
        stage.retain_graph, stage.create_graph = fact.retain_graph, fact.create_graph
        stage.scale = fact.scaled_by is not None
        self.look_at_rates()

    def _clears(self, fact: ClearFacts) -> None:
        """Noted just before it is done."""
        self._clear = None
        if self._tracer.follows(fact.site, is_next=not self._was_used(fact.optimizer)):
            stage = Clear(
                step=0, site=fact.site, optimizer=fact.optimizer, name=self._name(fact.optimizer), model=fact.model,
                set_to_none=fact.set_to_none,
            )  # fmt: skip
            self._tracer.add(stage)
            self._clear = (stage, self._gradients.unused())

    def _name(self, optimizer: int | None) -> str:
        found = [tracked.optimizer() for tracked in self._recorder.optimizers.values() if tracked.id == optimizer]
        return type(found[0]).__name__ if found else ""

    def _was_used(self, optimizer: int | None) -> bool:
        """Whether the last step used gradients of that optimizer, or of any."""
        last = (self._tracer.num_done,)
        return any(
            step[:1] == last
            for tracked in self._recorder.optimizers.values()
            if optimizer in (None, tracked.id)
            for provenance in set(tracked.ledger.provenances)
            for step in provenance.used_by[-1:]
        )

    def cleared(self) -> None:
        clear, self._clear = self._clear, None
        if clear is not None:
            stage, unused = clear
            stage.changes = tuple(self._gradients.changes())
            stage.num_unused = sum(c.name in unused for c in stage.changes)
            last = self._tracer.num_done
            if stage.optimizer is None and not any(c.used_by[-1:] == (last,) for c in stage.changes):
                self._tracer.postpone(stage)  # a model clears what the last step did not use, for the next one

    def _clipped(self, fact: ClipFacts) -> None:
        changes = self._gradients.changes()
        factor = after = None
        if fact.kind == "norm" and fact.norm is not None and math.isfinite(fact.norm):
            factor = min(1.0, fact.max_norm / (fact.norm + TORCH_EPSILON))
            after = _norm([c.after for c in changes]) if changes else fact.norm
        self._tracer.add(
            Clip(
                step=0, site=fact.site, by=fact.kind, limit=fact.max_norm, norm=fact.norm, factor=factor,
                norm_after=after, num_params=fact.num_params, num_gradients=fact.num_gradients, changes=tuple(changes),
            )
        )  # fmt: skip

    def _scheduled(self, fact: ScheduleStepFacts) -> None:
        before = dict(self._rates)
        self.look_at_rates()
        if self._tracer.follows(fact.site):
            rates = tuple(
                Rate(number, before.get(number, ()), after)
                for number, after in self._rates.items()
                if before.get(number) != after
            )
            name = self.schedulers.get(fact.scheduler, "")
            self._tracer.add(
                Schedule(
                    step=0, site=fact.site, scheduler=fact.scheduler, name=name, count=fact.count, metric=fact.metric,
                    rates=rates,
                )
            )  # fmt: skip

    def _edge(self, fact: EpochEdgeFacts) -> None:
        wanted = self._tracer.begins() if fact.edge == "start" else self._tracer.is_open
        if wanted:
            self._tracer.add(
                Pass(
                    step=0, site=fact.site, loader=fact.loader, edge=fact.edge, epoch=fact.epoch,
                    complete=fact.complete, num_batches=fact.num_batches or fact.length or 0,
                )
            )  # fmt: skip

    def look_at_rates(self) -> None:
        """Frameworks wrap optimizers in others that have the same groups: one of them is enough, that which steps."""
        seen: set[int] = set()
        for tracked in sorted(self._recorder.optimizers.values(), key=lambda tracked: tracked.num_updates == 0):
            optimizer = tracked.optimizer()
            groups = optimizer.param_groups if optimizer is not None else []
            if seen.isdisjoint(map(id, groups)):
                seen.update(map(id, groups))
                self._rates[tracked.id] = tuple(float(g["lr"]) for g in groups if g.get("lr") is not None)
            else:
                self._rates.pop(tracked.id, None)


def _norm(norms: Sequence[float | None]) -> float | None:
    """Of all, from those of the parts."""
    known = [norm for norm in norms if norm is not None]
    return math.hypot(*known) if known else None
