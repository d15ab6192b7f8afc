"""Gradients accumulate over micro-batches, batch-norm statistics do not.

## What it does
Notes steps that sum the gradients of several micro-batches from one line while batch-norm layers train.

## Why it matters
Accumulation imitates a large batch for the gradient only. Each micro-batch is still normalised by its own mean and
variance, so that the result differs from that of the large batch, the more so the smaller the micro-batches.

## Common belief
Accumulation over k micro-batches is the same as a batch k times as large.

## In truth
For the gradient of a sum it is. Batch-norm takes its mean and variance from what it sees at once, and that is one
micro-batch.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    optimizer.zero_grad()
    for _ in range(4):
        x = torch.randn(8, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss / 4).backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.LayerNorm(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    optimizer.zero_grad()
    for _ in range(4):
        x = torch.randn(8, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss / 4).backward()
    optimizer.step()
```

## When it stays silent
One backward a step, several losses from different lines, batch-norm in eval mode.
"""

from collections import Counter
from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("note", on=StepFacts, probes=("mode",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.mode is None or not now.mode.num_batchnorm_trained or now.closure:
        return
    lines = Counter(b.site for b in now.window if b.inside_step is None)
    site, num_micro_batches = max(lines.items(), key=lambda line: line[1], default=(None, 0))
    if num_micro_batches < 2:
        return
    yield Evidence(
        message=(
            f"{num_micro_batches} micro-batches make one step, and {now.mode.num_batchnorm_trained} batch-norm layers "
            "normalised each by its own statistics"
        ),
        fix="use GroupNorm or LayerNorm, or keep the micro-batches large.",
        site=site,
        numbers={"micro_batches": num_micro_batches, "batchnorm_layers": now.mode.num_batchnorm_trained},
    )
