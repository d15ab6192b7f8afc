"""samples-never-drawn on hand-written facts."""

import pytest

from surefoot.facts import EpochFacts, FeedFacts, Site
from surefoot.rules import Evidence, History
from surefoot.rules.data.samples_never_drawn import check

MADE = Site("train.py", 4)


def ask(
    weights: int | None = 3, draws: int = 240, samples: int | None = 240, *, trained: bool = True
) -> list[Evidence]:
    feed = FeedFacts(
        "random", MADE, num_samples=samples, trained=trained, optimizers=(1,), num_weights=weights, num_draws=draws
    )
    return list(check.check(EpochFacts(1, 1, 1, num_batches=10, num_steps=10, feed=feed), History()))


def test_fires_when_there_is_a_weight_for_each_class() -> None:
    (found,) = ask()
    assert found.site == MADE
    assert "3 weights for a data set of 240 samples" in found.message and "the other 237 never" in found.message


@pytest.mark.parametrize(
    "answer",
    [
        ask(None),  # no weights
        ask(240),
        ask(60, draws=60),  # a part of the data set, each about once
        ask(100, draws=2000),  # most of a half
        ask(samples=None),
        ask(trained=False),
    ],
)
def test_silent(answer: list[Evidence]) -> None:
    assert answer == []
