"""The sequence losses that a record tells of."""

from collections.abc import Iterator

from surefoot.facts import SequenceFacts, StepFacts
from surefoot.rules.history import History
from surefoot.rules.loss.recorded_losses import losses


def backwarded(step: StepFacts) -> Iterator[SequenceFacts]:
    """Those whose loss this step's backwards went through: a loss that is only logged does no harm."""
    places = {part.site.place for _, part in losses(step) if part.site is not None}
    for one in step.sequences:
        if one.site is not None and one.site.place in places:
            yield one


def predicts_next(now: StepFacts, past: History) -> bool:
    """Some loss of the program has the next token as its target: others are beside it, and meant."""
    return any(offset == 1 for step in (*past.steps, now) for one in step.sequences for offset, _ in one.offsets)
