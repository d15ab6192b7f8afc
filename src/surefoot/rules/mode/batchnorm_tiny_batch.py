"""Batch-norm trains on a handful of values.

## What it does
Fires when batch-norm layers, in most of their training forwards, see fewer than 4 values per channel.

## Why it matters
Mean and variance of two or three values are mostly noise, and the normalised output then says little about the input:
with two values every channel is close to plus or minus one. Training stalls, and the running statistics used in eval
mode do not match what the model was trained with.

## Common belief
Batch-norm works with any batch size above one.

## In truth
It runs with any. Mean and variance of two or three values are mostly noise: of two values, each channel becomes close
to plus and minus one, whatever was in it.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(2, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(32, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
A short last batch now and then, images (every pixel counts), layers in eval mode, and statistics shared between
processes.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

REPEATED = 3  # forwards: not just one odd batch


@rule("warning", on=StepFacts, probes=("mode",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    tiny = now.mode.tiny_batch if now.mode is not None else None
    if tiny is None or tiny.num_tiny < REPEATED or 2 * tiny.num_tiny <= tiny.num_forwards:
        return
    others = f" and {tiny.num_layers - 1} more" if tiny.num_layers > 1 else ""
    yield Evidence(
        message=(
            f"batch-norm {tiny.layer}{others} trained on {tiny.values_per_channel} values per channel; "
            f"{tiny.num_tiny} of {tiny.num_forwards} training forwards had fewer than {tiny.below}"
        ),
        fix="use larger batches, or GroupNorm or LayerNorm, which do not depend on the batch.",
        site=tiny.site,
        numbers={"values_per_channel": tiny.values_per_channel, "layers": tiny.num_layers, "forwards": tiny.num_tiny},
    )
