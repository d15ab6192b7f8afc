"""The micro-batches of a step, as the rules of this family see them."""

import math

from surefoot.facts import BackwardFacts, EpochEdgeFacts, StepFacts

ROUNDING = 1e-3  # of a factor such as 1/3, in half precision


def micro_batches(step: StepFacts) -> tuple[BackwardFacts, ...]:
    """The backwards of the window if they are micro-batches of one loss, else none.

    Micro-batches come from one line, called from one place, with the same kind of loss, and every parameter the
    step uses got a gradient from each of them. Several different losses, task heads and closures do not qualify.
    """
    window = step.window
    # A trainer may run the last micro-batch as the step's closure; a search runs the closure several times.
    outside = window[:-1] if step.closure else window
    if len(window) < 2 or any(b.inside_step is not None for b in outside) or any(b.num_tensors != 1 for b in window):
        return ()
    first = window[0]
    if first.site is None or first.loss is None:
        return ()
    for b in window[1:]:
        if b.site != first.site or b.loss is None or b.loss.chain != first.loss.chain or b.reached != first.reached:
            return ()
    ordinals = {b.ordinal for b in window}
    for g in step.gradients:
        if g.present and g.sources and not ordinals <= set(g.sources):
            return ()
    return window


def is_touched(step: StepFacts) -> bool:
    """Whether the program wrote to the gradients itself, so that their weights are its own business."""
    return any(g.by_hand or g.edited for g in step.gradients)


def first_of_pass(step: StepFacts) -> bool:
    """Whether all backwards of its window are among the first of a pass over a loader that goes on after it."""
    edges = [e for e in step.events if isinstance(e, EpochEdgeFacts)]
    window = step.window
    if not window or not edges or edges[-1].edge != "start":
        return False
    return edges[-1].at < window[0].at and edges[-1].length is not None and edges[-1].length > len(window)


def divisor(step: StepFacts) -> int | None:
    """The whole number by which the means of all its micro-batches, of one size, are divided."""
    losses = [b.loss for b in step.window]
    first = losses[0] if losses else None
    if first is None or first.reduction != "mean" or not first.factor or not first.num_items:
        return None
    if any(other is None or (other.factor, other.num_items) != (first.factor, first.num_items) for other in losses):
        return None
    whole = round(1 / first.factor)
    return whole if whole > 1 and abs(whole * first.factor - 1) < ROUNDING else None


def discarded(step: StepFacts) -> tuple[BackwardFacts, ...]:
    """The backwards whose gradients were cleared before this optimizer used them.

    A batch whose loss was not finite is dropped on purpose.
    """
    lost = {ordinal for g in step.gradients for ordinal in g.discarded}
    finite = [b for b in step.backwards if b.value is None or math.isfinite(b.value)]
    return tuple(b for b in finite if b.ordinal in lost and b.inside_step is None)


def arrived(step: StepFacts) -> bool:
    """Whether any gradient came to this optimizer's parameters since its previous step."""
    since = {b.ordinal for b in step.backwards}
    return any(g.by_hand or g.discarded or not since.isdisjoint(g.sources) for g in step.gradients)


def misses(step: StepFacts) -> bool:
    """Whether the backwards before this step reached parameters, but none of its optimizer."""
    reached_others = any(b.reached or b.num_unowned for b in step.backwards)
    return reached_others and not arrived(step) and not any(g.present for g in step.gradients)
