"""From what is live to facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surefoot.facts import EndFacts, GradientFacts, SetupFacts, Site, StepFacts
from surefoot.watch.name import Names
from surefoot.watch.provenance import Ledger

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

NAMED = 5  # parameter names carried in a group of gradients


def build_gradients(
    ledger: Ledger, names: Names, optimizer: int, *, only_present: bool = False
) -> tuple[GradientFacts, ...]:
    facts = []
    alive = ledger.alive()
    for (p, present), indices in ledger.groups().items():
        if only_present and not present:
            continue
        params = [alive[i] for i in indices]
        for requires_grad in (True, False):
            some = [q for q in params if q.requires_grad is requires_grad]
            if not some:
                continue
            facts.append(
                GradientFacts(
                    params=tuple(names.of(q) for q in some[:NAMED]),
                    num_params=len(some),
                    num_elements=sum(q.numel() for q in some),
                    present=present,
                    sources=p.sources,
                    used_by=tuple(index for index, by in p.used_by if by == optimizer),
                    used_by_others=tuple(index for index, by in p.used_by if by != optimizer),
                    discarded=p.discarded,
                    cleared_by=p.cleared_by,
                    by_hand=p.by_hand,
                    edited=p.edited,
                    requires_grad=requires_grad,
                )
            )
    return tuple(facts)


def build_step(
    recorder: Recorder, tracked: TrackedOptimizer, optimizer: Optimizer, *, site: Site | None, closure: bool,
    skipped: bool, **fields: Any,
) -> StepFacts:  # fmt: skip
    """The step that is about to be taken; `fields` are what the probes know."""
    thread_state = recorder.thread_states.here()
    outer = [number for number in thread_state.step_stack if number != tracked.id]
    return StepFacts(
        at=recorder.journal.clock + 1,
        index=recorder.num_steps,
        optimizer=tracked.id,
        update=tracked.num_updates,
        site=site,
        repeats=tracked.windows.repeats,
        alike=tuple(tracked.windows.alike.items()),
        skipped=skipped,
        closure=closure,
        inside_backward=bool(thread_state.backward_stack),
        inside_step=outer[-1] if outer else None,
        events=tuple(build(at) for at, _, build in recorder.journal.since(tracked.since)),
        gradients=build_gradients(tracked.ledger, recorder.names, tracked.id),
        unowned=build_gradients(recorder.unowned, recorder.names, tracked.id, only_present=True),
        lrs=tuple(float(group["lr"]) for group in optimizer.param_groups if group.get("lr") is not None),
        **fields,
    )


def build_setup(recorder: Recorder) -> SetupFacts:
    """What exists at this moment."""
    fields: dict[str, Any] = {}
    for probe in recorder.probes:
        fields.update(recorder.tap.attempt(probe.name, probe.setup_facts) or {})
    return SetupFacts(at=recorder.journal.clock, **fields)


def build_end(recorder: Recorder, reason: str) -> EndFacts:
    """How it all ended."""
    all_tracked = recorder.optimizers.values()
    counted = [*recorder.optimizers.gone, *((a.id, a.windows.repeats, a.windows.alike) for a in all_tracked)]
    pending = {s for tracked in all_tracked for p in tracked.ledger.distinct for s in p.fresh}
    fields: dict[str, Any] = {}
    for probe in recorder.probes:
        fields.update(recorder.tap.attempt(probe.name, probe.end_facts) or {})
    return EndFacts(
        at=recorder.journal.clock,
        num_steps=recorder.num_steps,
        reason=reason,
        pending=tuple(sorted(pending)),
        tail=tuple(build(at) for at, _, build in recorder.journal.since(recorder.last_step_at)),
        repeats=tuple((number, repeats) for number, repeats, _ in counted if repeats),
        alike=tuple(pair for _, _, alike in counted for pair in alike.items()),
        probes_off=tuple(recorder.tap.off.items()),
        **fields,
    )
