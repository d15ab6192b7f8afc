"""Gradients are clipped while they still carry a GradScaler's scale.

## What it does
Fires when `clip_grad_norm_` or `clip_grad_value_` runs on gradients of a scaled loss before
`scaler.unscale_(optimizer)`.

## Why it matters
The scale, 65536 at the start, multiplies every gradient. A limit of 1 then acts like a limit of 0.000015: nearly every
step is clipped to almost nothing, and how much depends on a scale that changes by itself.

## Common belief
Clipping to norm 1 means norm 1, also with a GradScaler.

## In truth
Until `scaler.unscale_(optimizer)` the gradients are multiplied by the scale, and the limit applies to what is there: at
a scale of 65536 it is 0.000015.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()
```

## When it stays silent
A disabled scaler, a scale of 1, `max_norm=inf` (which only measures), gradients that the program unscaled itself, and
a limit that was multiplied by `scaler.get_scale()`: asked for in the same line, or the scale times a plain number.

## References
- PyTorch, "Automatic Mixed Precision examples", section "Gradient clipping".
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.clip.limit import limiting, name_of


@rule("error", on=StepFacts, probes=("clip", "scaler"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for clip in limiting(now):
        if clip.scale == 1.0:
            continue
        yield Evidence(
            message=(
                f"{name_of(clip)} limits gradients to {clip.max_norm:g} while they are still multiplied by the "
                f"GradScaler's scale of {clip.scale:g}: the real limit is {clip.max_norm / clip.scale:.2g}"
            ),
            fix="call scaler.unscale_(optimizer) after backward() and before clipping.",
            site=clip.site,
            numbers={"max_norm": clip.max_norm, "scale": clip.scale},
        )
