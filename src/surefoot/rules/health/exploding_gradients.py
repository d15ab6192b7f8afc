"""Gradients have grown far beyond anything earlier in the run, and the loss with them.

## What it does
Fires when the norm of all gradients stays far above what it was in this run, the updates have grown as much relative
to the weights, and the loss is well above what it was.

## Why it matters
Each update now throws the weights further away than the one before; a few steps later there is a NaN.

## Common belief
Exploding gradients show up as a NaN.

## In truth
The NaN comes last. Before it, gradients and updates grow for many steps while every number is still finite, and those
steps already undo what was learned.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(100):
    for group in optimizer.param_groups:
        group["lr"] = 0.01 if i < 60 else 0.12
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), 10 * x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() > 1e9:
        break
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(100):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), 10 * x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Gradients that clipping or the optimizer scales down, so that updates stay as they were; single steps; the first steps
of a run; losses that do not rise; values that are not finite, which have rules of their own.
"""

import math
from collections.abc import Iterator

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, middle, middle_loss, update_ratio

WARM_UP = 24  # sampled steps before those looked at
USUALLY = 64  # sampled steps that define what is usual
LATELY = 2  # sampled steps, in all of which it must be so
TIMES = 20.0  # the norm, of what it was
UPDATE_TIMES = 10.0  # the update-to-weight ratio
LOSS_TIMES = 3.0


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    course = Course(now, past)
    if len(course) < WARM_UP + LATELY or not math.isfinite(now.grad_norm):
        return
    before = course.before(LATELY)[-USUALLY:]
    usual = middle(before, lambda step: step.grad_norm)
    if not usual or not all(step.grad_norm > TIMES * usual for step in course.last(LATELY)):
        return
    usual_ratio, ratio = middle(before, update_ratio), middle(course.last(LATELY), update_ratio)
    usual_loss, loss = middle_loss(before), middle_loss(course.last(LATELY))
    if not usual_ratio or ratio is None or usual_loss is None or loss is None:
        return
    if ratio < UPDATE_TIMES * usual_ratio or loss < usual_loss + (LOSS_TIMES - 1) * abs(usual_loss):
        return
    largest = max(now.params, key=lambda p: p.grad_norm or 0.0)
    yield Evidence(
        message=f"the gradient norm is {now.grad_norm:.3g}, {now.grad_norm / usual:.0f} times its usual {usual:.3g}; "
        f"updates are {ratio / usual_ratio:.0f} times larger relative to the weights, and the loss went from "
        f"{usual_loss:.3g} to {loss:.3g}. The largest gradient is that of {largest.name}",
        fix="lower the learning rate or its peak, add torch.nn.utils.clip_grad_norm_, or warm up.",
        site=now.site,
        numbers={
            "grad_norm": now.grad_norm,
            "usual": usual,
            "update_ratio": ratio,
            "usual_update_ratio": usual_ratio,
            "loss": loss,
            "usual_loss": usual_loss,
            "largest": largest.name,
            "lrs": list(now.lrs),
        },
    )
