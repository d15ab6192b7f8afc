"""The clipping limit is far below every gradient norm.

## What it does
Notes when the total norm exceeded the limit of `clip_grad_norm_` by 30 times or more in nearly all of 200 steps.

## Why it matters
Clipping then no longer catches outliers: it gives every gradient the same length, and the learning rate alone decides
how far each step goes. That can be deliberate, but often the limit was copied from another model.

## Common belief
The lower the limit, the safer the training.

## In truth
A limit below nearly every gradient norm acts as a fixed length: large and small gradients become equally long, and the
learning rate means something else. A limit is for outliers.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(400):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.001)
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(400):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
```

## When it stays silent
Runs of fewer than 200 steps, and gradients that only start large.
"""

import math
from collections.abc import Iterator

from surefoot.facts import ClipFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.clip.limit import limiting

EXCESS = 30.0  # below it a limit is tight, which may be meant
NUM_STEPS = 200  # warm-up and the large gradients of the first steps are over by then
NEARLY_ALL = 0.95


@rule("note", on=StepFacts, probes=("clip",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.update < NUM_STEPS:
        return
    for clip in limiting(now):
        if not _exceeds(clip):
            continue
        # A record stands for the steps like it that were not written down.
        seen = [(1 + s.repeats, _exceeds(c)) for s in past.of(now.optimizer) for c in s.clips if c.site == clip.site]
        num_steps = 1 + now.repeats + sum(number for number, _ in seen)
        num_active = 1 + now.repeats + sum(number for number, active in seen if active)
        if num_steps < NUM_STEPS or num_active < NEARLY_ALL * num_steps:
            continue
        assert clip.norm is not None
        yield Evidence(
            message=(
                f"the total norm, now {clip.norm:.3g}, exceeded max_norm={clip.max_norm:g} {EXCESS:g} times or more "
                f"in {num_active} of {num_steps} steps"
            ),
            fix="raise max_norm to about the usual norm, or keep it if every step should have the same length.",
            site=clip.site,
            numbers={"norm": clip.norm, "max_norm": clip.max_norm, "steps": num_steps, "active": num_active},
        )


def _exceeds(clip: ClipFacts) -> bool:
    return clip.norm is not None and math.isfinite(clip.norm) and clip.norm >= EXCESS * clip.max_norm
