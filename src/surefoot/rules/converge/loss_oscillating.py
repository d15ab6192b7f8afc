"""The updates make the loss swing up and down.

## What it does
Fires when, over many updates in a row, the loss repeatedly swings between values far apart without getting lower, and
the updates explain it: they overshoot the lowest point on their way, and the loss changes by what the slopes at both
ends of the updates predict.

## Why it matters
The step is longer than the valley is wide, so the weights jump from one side to the other. More updates at this rate do
not help; at a lower rate the loss would fall at once.

## Common belief
A swinging loss is batch noise, and a larger batch makes it go away.

## In truth
It is noise if the swings follow the batches. If each update overshoots the lowest point on its way, the cause is the
length of the step, and only a lower rate or less momentum ends it.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=2.0, momentum=0.8)
for i in range(160):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.8)
for i in range(160):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Swings that come from the batches, such as tasks that take turns or data in an order; losses that fall on the whole, or
lie well below the first ones; a rate that rises and falls by a schedule; losses that can be negative; programs with
several optimizers; updates by a tenth of the weights and more, which have a rule of their own; steps of which only some
are measured, so that no update is seen from both ends.

## How it decides
Along an update the slope of the loss is gradient · update at its start, and at its end the next gradient · the same
update. The loss should change by half their sum. Over the last 48 updates these predictions must correlate with the
changes by rank and match them in size, and most updates must end uphill. Differences between batches show in the
changes but hardly in the predictions.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course
from surefoot.rules.health.update_too_large import are_too_large

WARM_UP = 16  # updates, which may be wild
WINDOW = 48  # updates in a row, all measured
WIDE = 3.0  # high losses are so many times the low ones
NOTHING_LEARNED = 1.3  # that is wide enough where the loss is not below the first one
HIGH = 0.8  # of the first loss: lower swings are those of a model that has learned
IMPROVES = 0.8  # the last third of the window against the first one
SWINGS = 8  # times that the loss goes from below to above, or back
EXPLAINED = 0.5  # rank correlation of changes and forecasts; 48 pairs without one reach it once in some thousands
ENOUGH = 0.5  # forecasts are at least so large, as a share of the changes
UPHILL = 0.7  # share of updates that end behind the lowest point on their way
SAME_RATE = 1.5  # largest against smallest


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for rank, i in enumerate(order):
        ranks[i] = rank - (len(values) - 1) / 2
    return ranks


def _correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's."""
    first, second = _ranks(a), _ranks(b)
    return sum(x * y for x, y in zip(first, second, strict=True)) / sum(x * x for x in first)


def _has_one_rate(steps: Sequence[SignalFacts]) -> bool:
    rates = [max(step.lrs, default=0.0) for step in steps]
    return max(rates) <= SAME_RATE * min(rates)


def _num_swings(losses: Sequence[float], low: float, high: float) -> int:
    """How often it gets from the low to the high ones and back."""
    sides = [side for loss in losses if (side := (loss >= high) - (loss <= low))]
    return sum(a != b for a, b in pairwise(sides))


def _explained(steps: Sequence[SignalFacts], losses: Sequence[float]) -> tuple[float, float]:
    """How well the updates predict the changes of the loss, if at all, and the share of them that end uphill."""
    ends = [(step.overshoot or 0.0) / step.clip_factor for step in steps[1:]]
    begins = [(step.descent or 0.0) / step.clip_factor for step in steps[:-1]]
    forecasts = [(a + b) / 2 for a, b in zip(begins, ends, strict=True)]
    changes = [b - a for a, b in pairwise(losses)]
    is_enough = median(map(abs, forecasts)) >= ENOUGH * median(map(abs, changes))
    return is_enough * _correlation(changes, forecasts), sum(end > 0 for end in ends) / len(ends)


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if not now.overshoot or now.update < WARM_UP + WINDOW or past.num_sampled_optimizers > 1:
        return
    course = Course(now, past)
    steps, first = course.last(WINDOW + 1), course.first_loss
    losses = [step.loss for step in steps if step.loss is not None and step.overshoot is not None]
    if len(losses) <= WINDOW or min(losses) <= 0 or steps[0].update != now.update - WINDOW or first is None:
        return
    ranked = sorted(losses)
    low, high = ranked[WINDOW // 5], ranked[-1 - WINDOW // 5]
    third = WINDOW // 3
    wide = WIDE if median(losses) < first else NOTHING_LEARNED
    if high < max(wide * low, HIGH * first) or median(losses[-third:]) < IMPROVES * median(losses[:third]):
        return
    if _num_swings(losses, low, high) < SWINGS or not _has_one_rate(steps):
        return
    explained, uphill = _explained(steps, losses)
    if explained < EXPLAINED or uphill < UPHILL or are_too_large(course):
        return
    yield Evidence(
        message=f"the loss swings between {low:.3g} and {high:.3g} without falling over the last {WINDOW} updates; "
        f"{uphill:.0%} of them overshot the lowest point on their way",
        fix=f"lower the learning rate of {max(now.lrs, default=0.0):g}, to a third at first.",
        site=now.site,
        numbers={
            "low": low,
            "high": high,
            "first": first,
            "uphill": uphill,
            "explained": explained,
            "lrs": list(now.lrs),
        },
    )
