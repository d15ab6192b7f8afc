"""A GradScaler skips step after step.

## What it does
Fires when 20 steps in a row were skipped because of Inf or NaN, or when skipping has driven the scale below 1.

## Why it matters
A scaler that starts too high skips a few steps until the scale fits. If lowering it does not help, the gradients are
not finite for another reason: NaN in the data or weights, or a loss that overflows in fp16. The weights no longer
change, and nothing reports it.

## Common belief
Skipped steps are normal with a GradScaler, so there is nothing to look at.

## In truth
A few are normal, while the scale settles. A scaler that halves its scale twenty times and still meets Inf has ruled out
the scale as the cause.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for _ in range(24):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    distance = (model(x) - model(x).detach()).square().sum(dim=1)
    loss = distance.sqrt().mean()  # no slope at a distance of zero: NaN
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for _ in range(24):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    distance = (model(x) - x.sum(1, keepdim=True)).square().sum(dim=1)
    loss = (distance + 1e-6).sqrt().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
```

## When it stays silent
The first skips of a run, also many of them where the scale starts above the usual 65536; skips now and then; a scale
that was set below 1 from the start.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

MANY = 20  # halvings: from the usual start of 65536 the scale is at 1/16 then
USUAL = 65536.0  # one that starts above it may well need more


@rule("error", on=StepFacts, probes=("scaler",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    scaler = now.scaler
    if scaler is None or not now.skipped:
        return
    in_a_row = scaler.num_skipped_in_a_row
    are_many = in_a_row >= MANY and scaler.init_scale <= USUAL
    if not are_many and not scaler.scale < min(1.0, scaler.init_scale):
        return
    yield Evidence(
        message=(
            f"the GradScaler skipped {in_a_row} steps in a row and has lowered its scale from {scaler.init_scale:g} to "
            f"{scaler.scale:g}: the gradients are not finite at any scale"
        ),
        fix="look for NaN or Inf in the batch, the loss and the weights; compute the loss in float32.",
        site=now.site,
        numbers={"skipped_in_a_row": in_a_row, "scale": scaler.scale},
    )
