"""The micro-batches of a step, as the rules of this family see them."""

import math

from surefoot.facts import BackwardFacts, StepFacts


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
