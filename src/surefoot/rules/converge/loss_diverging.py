"""The loss keeps rising, and the gradients with it.

## What it does
Fires when the loss has recently risen in nearly every sampled step, to at least ten times both its best and its first
value, while the gradients have grown tenfold and the updates or weights have grown too.

## Why it matters
From its best point on the run only gets worse, at the same cost.

## Common belief
The loss goes up for a while, but comes down again if you wait.

## In truth
A loss can rise and fall again. One that rises together with its gradients and its updates feeds itself: larger weights
give larger gradients, and those give larger steps.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, maximize=True)
for i in range(150):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for i in range(150):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Losses that rise while gradients stay as they were, as in reinforcement learning; programs with several optimizers,
such as GANs, whose losses rise in turn; a loss below its first value; single spikes.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, middle, middle_loss, update_ratio

WARM_UP = 32  # sampled steps
LATELY = 16
TIMES = 10.0  # the loss of its best and first values, and the gradient norm of what it was then
GROWN = 1.5  # updates relative to weights, or weights
RISING = 0.7  # share of pairs of losses in order, less that of pairs out of order


def _trend(values: Sequence[float]) -> float:
    """Kendall's: 1 for values that always rise."""
    pairs = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
    return sum((b > a) - (b < a) for a, b in pairs) / len(pairs) if pairs else 0.0


def _best(losses: Sequence[float]) -> float:
    """The lowest of the medians of some in a row."""
    return min(median(losses[i : i + 8]) for i in range(0, max(1, len(losses) - 7), 4))


def _size(step: SignalFacts) -> float:
    return math.sqrt(sum(p.norm**2 for p in step.params))


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if now.loss is None or now.loss <= 0 or not math.isfinite(now.loss) or past.num_sampled_optimizers > 1:
        return
    course = Course(now, past)
    first = middle_loss(course.first())
    if len(course) < WARM_UP + LATELY or first is None or first <= 0 or now.loss < TIMES * first:
        return
    lately = [step.loss for step in course.last(LATELY) if step.loss is not None]
    best = _best([step.loss for step in course.steps if step.loss is not None])
    if best <= 0 or median(lately) < TIMES * best or median(lately) < TIMES * first or _trend(lately) < RISING:
        return
    before = course.before(LATELY)
    norms = middle(before, lambda step: step.grad_norm), middle(course.last(LATELY), lambda step: step.grad_norm)
    ratios = middle(before, update_ratio), middle(course.last(LATELY), update_ratio)
    if not norms[0] or norms[1] is None or norms[1] < TIMES * norms[0]:
        return
    larger_steps = ratios[0] is not None and ratios[1] is not None and ratios[1] > GROWN * ratios[0]
    if not larger_steps and _size(now) < GROWN * _size(course.steps[0]):
        return
    yield Evidence(
        message=f"the loss rises: {median(lately):.3g} lately, {first:.3g} at the start, {best:.3g} at its best; "
        f"the gradient norm went from {norms[0]:.2g} to {norms[1]:.2g}, the size of the weights from "
        f"{_size(course.steps[0]):.3g} to {_size(now):.3g}",
        fix="return to the last good checkpoint with a lower rate or clipping; look for a term with the wrong sign.",
        site=now.site,
        numbers={
            "loss": median(lately),
            "first": first,
            "best": best,
            "grad_norm": norms[1],
            "grad_norm_before": norms[0],
        },
    )
