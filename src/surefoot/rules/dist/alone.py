"""When steps that one rank took alone are a mistake for certain, as the rules of this family see it."""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts, UnsyncedFacts

# Steps in a row. Weights may be averaged now and then instead of gradients at every step; those who do so, and wrap
# the model nevertheless, were not seen to wait for longer than 500.
LONG = 1024


def certain(now: StepFacts | EndFacts, kind: str) -> Iterator[UnsyncedFacts]:
    """Steps of this kind that nothing sent later can have mended; at the end, those that were not told before."""
    for steps in now.unsynced:
        is_reported = steps.backward_syncs or steps.is_partly_sent or steps.num_steps >= LONG
        proof = (
            now.reason == "finished" and not is_reported
            if isinstance(now, EndFacts)
            else is_reported or steps.is_followed
        )
        if steps.kind == kind and proof:
            yield steps
