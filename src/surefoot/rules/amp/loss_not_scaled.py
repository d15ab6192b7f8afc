"""A GradScaler steps with gradients of a loss that it did not scale.

## What it does
Fires when `scaler.step(optimizer)` uses gradients of a backward whose loss did not go through `scaler.scale`.

## Why it matters
`scaler.step` divides the gradients by the scale, initially 65536, whether or not the loss was multiplied by it. The
updates shrink by that factor: training nearly stops, and fp16 gradients underflow as if there were no scaler.

## Common belief
The scaler handles everything: calling `scaler.step(optimizer)` is enough.

## In truth
`scaler.step` only divides. Unless `scaler.scale(loss)` multiplied first, every gradient ends up 65536 times too small
at the initial scale.

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
    scaler.scale(loss)
    loss.backward()
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
    scaler.step(optimizer)
    scaler.update()
```

## When it stays silent
A disabled scaler, a scale of 1, a scaled loss that was divided or summed afterwards, a loss multiplied by
`scaler.get_scale()`, gradients that the program wrote or changed itself.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=StepFacts, probes=("scaler",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.scaler is None or not now.scaler.enabled or now.scaler.scale == 1.0:
        return
    if any(g.by_hand or g.edited for g in now.gradients):
        return
    unscaled = [b for b in now.window if b.scaled_by is None]
    if not unscaled:
        return
    scale = now.scaler.scale
    yield Evidence(
        message=(
            f"scaler.step() divides by its scale of {scale:g} the gradients of {len(unscaled)} of {len(now.window)} "
            "backwards, but their loss was not multiplied by it"
        ),
        fix="write scaler.scale(loss).backward().",
        site=unscaled[-1].site,
        numbers={"scale": scale, "unscaled_backwards": len(unscaled), "backwards": len(now.window)},
    )
