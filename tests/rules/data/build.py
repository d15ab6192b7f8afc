"""Hand-written facts for the rules of this family."""

from typing import Any

from surefoot.facts import EpochFacts, FeedFacts, Site
from surefoot.rules import Evidence, History, Rule

MADE, STARTED = Site("train.py", 5), Site("train.py", 12)
IN_ORDER = tuple((number, (100 + number, 0)) for number in (1, 2, 3, 4, 8))
OTHERWISE = tuple((number, (200 + number, 0)) for number in (1, 2, 3, 4, 8))


def passed(number: int = 1, **fields: Any) -> EpochFacts:
    """A pass over a loader; fields of the pass, or of what it gave."""
    own = {key: fields.pop(key) for key in ("loader", "num_steps", "num_batches", "complete") if key in fields}
    feed = {"made": MADE, "trained": True, "optimizers": (1,), "marks": IN_ORDER, "num_samples": 80, **fields}
    whole: dict[str, Any] = {"loader": 1, "num_batches": 10, "num_steps": 10, **own}
    return EpochFacts(at=100 * number, epoch=number, site=STARTED, length=10, feed=FeedFacts(**feed), **whole)


def ask(rule: Rule, *passes: Any) -> list[Evidence]:
    """Judge the last of them."""
    *past, now = passes
    return list(rule.check(now, History(past)))
