"""What passes over a loader reveal about the order of its batches."""

import re
from collections.abc import Iterable

from surefoot.facts import EpochFacts, FeedFacts
from surefoot.rules import History

ENOUGH_BATCHES = 4  # of a pass that were looked at: with fewer, order hardly matters
STEPS_PER_BATCH = 4  # beyond which the steps belong to another loader, and this one is looked at now and then
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ORDERED = frozenset((
    "time", "times", "series", "timeseries", "temporal", "chronological", "forecast", "forecasting", "history",
    "sequence", "sequences", "sequential", "seq", "stream", "streaming", "online", "video", "frames", "trajectory",
    "trajectories", "rollout", "rollouts", "replay", "bptt", "stateful", "ordered", "sorted", "curriculum", "bucket",
    "buckets", "bucketed", "shuffled", "permuted", "stock", "stocks", "sensor", "sensors",
))  # fmt: skip


def trains(epoch: EpochFacts) -> bool:
    """Whether the program trains on what the pass gave, rather than looking at it between steps."""
    feed = epoch.feed
    return feed is not None and feed.trained and 0 < epoch.num_steps <= STEPS_PER_BATCH * epoch.num_batches


def previous_passes(now: EpochFacts, past: History) -> list[FeedFacts]:
    """Earlier passes over the same loader that trained the same weights, newest first."""
    optimizers = set(now.feed.optimizers) if now.feed is not None else set()
    return [
        before.feed
        for before in reversed(past.epochs)
        if before.loader == now.loader
        and trains(before)
        and before.feed is not None
        and not optimizers.isdisjoint(before.feed.optimizers)
    ]


def num_equal(one: FeedFacts, other: FeedFacts, *, all_different: bool) -> int:
    """How many batches both passes gave in the same places; 0 if some differ or none are known.

    Some tensor of the batches must be the same in both, and tell batches apart: all of them, or at least some.
    """
    first, second = dict(one.marks), dict(other.marks)
    numbers = sorted(first.keys() & second.keys())
    if len(numbers) < ENOUGH_BATCHES:
        return 0
    places = min(len(marks[number]) for marks in (first, second) for number in numbers)
    for place in range(places):
        seen = [first[number][place] for number in numbers]
        kinds = len(set(seen))
        tells = kinds == len(numbers) if all_different else kinds > 1
        if tells and all(seen) and seen == [second[number][place] for number in numbers]:
            return len(numbers)
    return 0


def is_ordered_by_name(names: Iterable[str]) -> bool:
    """Whether a name says that the order means something."""
    return any(word.lower() in ORDERED for name in names for word in _WORD.findall(name))
