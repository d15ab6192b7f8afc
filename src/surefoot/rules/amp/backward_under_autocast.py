"""Backward runs inside autocast.

## What it does
Notes a `backward()` called inside `torch.autocast`.

## Why it matters
Backward operations already run in the precision that autocast chose for their forward. PyTorch recommends against
calling backward inside: operations that the backward itself runs, for example in custom functions and checkpointed
blocks, may be cast again.

## Common belief
The whole step belongs inside `torch.autocast`, including the backward.

## In truth
Autograd runs each backward operation in the precision of its forward one, wherever `backward()` is called. Only forward
and loss belong inside.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
```

## When it stays silent
Autocast with `enabled=False`.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("note", on=StepFacts, probes=("autocast",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for backward in now.window:
        if backward.under_autocast:
            yield Evidence(
                message=f"backward() runs inside autocast to {backward.autocast_dtype}",
                fix="leave the autocast block before backward().",
                site=backward.site,
                numbers={"dtype": backward.autocast_dtype},
            )
