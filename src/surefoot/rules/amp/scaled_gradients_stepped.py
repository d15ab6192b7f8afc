"""An optimizer steps on gradients that still carry a GradScaler's scale.

## What it does
Fires when `optimizer.step()` is called directly, not through `scaler.step`, on gradients of a scaled loss that were
not unscaled; also when `scaler.step` uses gradients of a scaled backward that came after `unscale_`.

## Why it matters
The gradients are multiplied by the scale, initially 65536. Plain SGD takes steps that are too long by that factor and
diverges. Adam hides the factor, but clipping, epsilon and every change of the scale go wrong, and Inf reaches the
weights because nothing checks for it.

## Common belief
The scale of a GradScaler does not matter with Adam, because Adam divides by the size of the gradient anyway.

## In truth
A constant factor cancels in Adam except in its epsilon, but the scale is not constant. It changes during training, the
averages mix old and new scales, and without `scaler.step` nothing skips the steps that overflowed.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    scaler.scale(loss).backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
```

## When it stays silent
After `scaler.unscale_(optimizer)`, with a disabled scaler, a scale of 1, or gradients that the program divided itself.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=StepFacts, probes=("scaler",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.scale == 1.0 or now.skipped:
        return
    if now.scaler is None:
        how, fix = "", "call scaler.step(optimizer) and scaler.update(), or scaler.unscale_(optimizer) before step()."
    else:
        how, fix = ": a backward came after unscale_()", "call scaler.unscale_() after the window's last backward()."
    yield Evidence(
        message=f"step() uses gradients that are still multiplied by the GradScaler's scale of {now.scale:g}{how}",
        fix=fix,
        site=now.site,
        numbers={"scale": now.scale},
    )
