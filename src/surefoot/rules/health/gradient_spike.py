"""One step's gradient is far larger than any before it.

## What it does
Notes when the largest gradient norm since the last record is many times the usual one, and larger than any before.

## Why it matters
A bad batch, a wrong label or a numerical accident often shows as one huge gradient. Without clipping a single such
step can undo thousands.

## Common belief
One odd batch among thousands averages out.

## In truth
A gradient a hundred times the usual size weighs as much as a hundred usual ones, in the averages of momentum and Adam
too, unless it is clipped.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for i in range(60):
    x = torch.randn(32, 8)
    y = x[:, :1] * (1000 if i == 50 else 1) + 0.1 * torch.randn(32, 1)
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for i in range(60):
    x = torch.randn(32, 8)
    y = x[:, :1] + 0.1 * torch.randn(32, 1)
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
The first steps; gradients that have been as large before.
"""

import math
from collections.abc import Iterator

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, middle

WARM_UP = 32  # sampled steps
TIMES = 20.0  # of the usual norm
TIMES_HIGHEST = 4.0  # of the highest before


@rule("note", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    course = Course(now, past)
    if len(course) <= WARM_UP or not math.isfinite(now.highest_grad_norm):
        return
    before = course.before(1)
    usual, highest = middle(before, lambda step: step.grad_norm), max(step.highest_grad_norm for step in before)
    if not usual or now.highest_grad_norm < max(TIMES * usual, TIMES_HIGHEST * highest):
        return
    clipped = f"; clipping multiplied it by {now.clip_factor:.2g}" if now.clip_factor < 1 else ""
    yield Evidence(
        message=f"a gradient norm of {now.highest_grad_norm:.3g} near step {now.index}, "
        f"{now.highest_grad_norm / usual:.0f} times the usual {usual:.3g}{clipped}",
        fix="look at the batch of that step; clip gradients so that one batch can't do harm.",
        site=now.site,
        numbers={"grad_norm": now.highest_grad_norm, "usual": usual, "step": now.index, "clip_factor": now.clip_factor},
    )
