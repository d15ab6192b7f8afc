"""What a rank notes at fixed updates, for whoever joins the notes of all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from surefoot.facts import LossFacts, ReplicaFacts
from surefoot.watch.dist.replica import read_weights

if TYPE_CHECKING:
    from surefoot.watch.dist.wrapper import Wrapper
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

# Updates between notes, the same on all ranks without communication; before that the 1st, 2nd, 4th, 8th, …
SPACING = 256


def is_noted(update: int) -> bool:
    return update % SPACING == 0 if update > SPACING else update & (update - 1) == 0


def note_of(
    recorder: Recorder, tracked: TrackedOptimizer, wrappers: Sequence[Wrapper], losses: Sequence[LossFacts | None],
    *, replicated: bool, beside: bool,
) -> ReplicaFacts | None:  # fmt: skip
    """Before an update. `losses` are those of its window; `replicated` if weights must be equal on all ranks.

    With `beside` the weights outside of the wrappers are noted, too.
    """
    ids = frozenset[int]().union(*(wrapper.ids for wrapper in wrappers))
    ledger = tracked.ledger
    trained = [i for i, state in enumerate(ledger.states) if state is not None]
    mine = [i for i in trained if id(ledger.params[i]) in ids]
    others = [i for i in trained if id(ledger.params[i]) not in ids] if beside else []
    is_touched = any(ledger.provenances[i].edited or ledger.provenances[i].by_hand for i in mine)
    note = _weights(recorder, tracked, mine, read=replicated)
    return replace(
        note,
        model=wrappers[0].kind,
        marks=tuple(mark for wrapper in wrappers for mark in wrapper.marks),
        loader=recorder.last_loader,
        beside=_weights(recorder, tracked, others, read=True) if others else None,
        **({} if is_touched else _counts(losses)),
    )


def note_by_hand(recorder: Recorder, tracked: TrackedOptimizer) -> ReplicaFacts:
    """Of weights without a wrapper, whose gradients the program sends to the other ranks."""
    trained = [i for i, state in enumerate(tracked.ledger.states) if state is not None]
    return _weights(recorder, tracked, trained, read=True)


def _weights(recorder: Recorder, tracked: TrackedOptimizer, places: Sequence[int], *, read: bool) -> ReplicaFacts:
    params = [tracked.ledger.params[i] for i in places]
    weights = read_weights(params) if read else None
    return ReplicaFacts(
        rank=dist.get_rank(),
        num_ranks=dist.get_world_size(),
        optimizer=tracked.id,
        update=tracked.num_updates,
        step=recorder.num_steps,
        num_elements=sum(param.numel() for param in params),
        checksum=None if weights is None else weights.checksum,
        sums=() if weights is None else weights.sums,
        sizes=() if weights is None else weights.sizes,
        names=() if weights is None else tuple(recorder.names.of(params[i]) for i in weights.firsts),
        resolution=0.0 if weights is None else weights.resolution,
    )


def _counts(losses: Sequence[LossFacts | None]) -> dict[str, Any]:
    known = [loss for loss in losses if loss is not None and loss.reduction == "mean" and loss.num_items]
    if len(known) < len(losses) or any(loss.factor is None or loss.factor != known[0].factor for loss in known):
        return {}
    items = sum(loss.num_items or 0 for loss in known)
    return {"num_items": items, "factor": known[0].factor, "loss": known[0].site}
