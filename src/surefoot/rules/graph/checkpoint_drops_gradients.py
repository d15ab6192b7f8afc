"""Activation checkpointing drops the gradients of the parameters inside.

## What it does
Fires when a block runs under re-entrant activation checkpointing (`use_reentrant=True`), none of its inputs requires a
gradient, and the next step finds none of the block's trainable parameters with one.

## Why it matters
Re-entrant checkpointing is an autograd function of its inputs alone. If none of them requires a gradient, its output
requires none, and the block's parameters never train. Typical is the first block, which is fed the data itself.

## Common belief
Activation checkpointing changes memory and time, and nothing else.

## In truth
That holds for `use_reentrant=False`. The re-entrant variant sees only the block's inputs: if none of them requires a
gradient, the block's parameters get none.

## Bad
```python
import warnings

import torch
from torch.utils.checkpoint import checkpoint

warnings.filterwarnings("ignore", message="None of the inputs")
torch.manual_seed(0)
block = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh())
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*block.parameters(), *head.parameters()], lr=0.02)
for _ in range(8):
    x = torch.randn(16, 4)
    features = checkpoint(block, x, use_reentrant=True)
    loss = torch.nn.functional.mse_loss(head(features), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh())
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*block.parameters(), *head.parameters()], lr=0.02)
for _ in range(8):
    x = torch.randn(16, 4)
    features = checkpoint(block, x, use_reentrant=False)
    loss = torch.nn.functional.mse_loss(head(features), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Without gradients, around blocks that are frozen, that no optimizer steps, or that got their gradient another way.

## References
- PyTorch documentation, `torch.utils.checkpoint`: the two variants and what re-entrant checkpointing asks for.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=StepFacts, probes=("checkpoint",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if not now.backwards:
        return
    for checkpoint in now.checkpoints:
        if not 0 < checkpoint.num_params == checkpoint.num_without_gradient:
            continue
        names = ", ".join(checkpoint.params[:3])
        yield Evidence(
            message=(
                f"{checkpoint.num_params} parameters ({names}) ran inside a re-entrant checkpoint none of whose inputs "
                "requires a gradient, and got none"
            ),
            fix="pass use_reentrant=False, or give the block an input that requires a gradient.",
            site=checkpoint.site,
            numbers={"params": checkpoint.num_params},
        )
