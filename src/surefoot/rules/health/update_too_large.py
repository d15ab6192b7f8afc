"""Each update moves the weights by a large part of their size, and the loss does not improve.

## What it does
Fires when the median layer has been moved by more than a tenth of its own size by every sampled update for long, and
the loss is no lower than it was at the start.

## Why it matters
Weights that change by a tenth in every step forget what they have learned as fast as they learn it. A healthy update
is about a thousandth.

## Common belief
As long as nothing is NaN, the rate is not too large.

## In truth
A rate can be far too large while everything stays finite. The size of the update relative to the weight shows it.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
optimizer = torch.optim.RMSprop(model.parameters(), lr=2.0, alpha=0.5)
for _ in range(120):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.002)
for _ in range(120):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Large updates that lower the loss; the first steps; weights that are nearly zero, whose updates are large by nature;
programs with several optimizers, whose losses may rise by design.
"""

from collections.abc import Iterator
from statistics import median

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, layers, middle_loss

WARM_UP = 64  # updates
LATELY = 32  # sampled steps, in all of which it must be so
LARGE = 0.1


def _ratio(step: SignalFacts) -> float:
    ratios = [ratio for p in layers(step) if (ratio := p.update_ratio) is not None]
    return median(ratios) if ratios else 0.0


def are_too_large(course: Course) -> bool:
    """The updates of late, without getting anywhere."""
    if len(course) < 2 * LATELY or any(_ratio(step) < LARGE for step in course.last(LATELY)):
        return False
    return not course.improves(LATELY)


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if now.update < WARM_UP or past.num_sampled_optimizers > 1 or _ratio(now) < LARGE:
        return
    course = Course(now, past)
    if not are_too_large(course):
        return
    first, last = course.first_loss, middle_loss(course.last(LATELY))
    largest = max(layers(now), key=lambda p: p.update_ratio or 0.0)
    yield Evidence(
        message=f"the last {LATELY} sampled updates each moved the median layer by {_ratio(now):.0%} of its size "
        f"({largest.name} by {largest.update_ratio or 0.0:.0%}), and the loss went from {first:.3g} to {last:.3g}",
        fix="divide the learning rate by ten" + (f": it is {now.lrs[0]:g}." if now.lrs else "."),
        site=now.site,
        numbers={"update_ratio": _ratio(now), "largest": largest.name, "first_loss": first, "loss": last},
    )
