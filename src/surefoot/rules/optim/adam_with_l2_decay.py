"""Adam's weight decay goes through the gradient.

## What it does
Notes an `Adam`, `NAdam`, `RAdam` or `Adamax` with `weight_decay` above 0 that is not decoupled.

## Why it matters
There the decay is added to the gradient and divided by its running size: weights with large gradients decay less.
`AdamW` decays every weight by the same share, which is what most papers mean and tune.

## Common belief
`weight_decay` in Adam and in AdamW is the same thing.

## In truth
Adam adds it to the gradient and divides both by the gradient's running size, so that weights with large gradients decay
less. AdamW takes the same share off every weight.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Decoupled decay, and optimizers that are not torch's own.

## References
Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule

ADAPTIVE = frozenset({"Adam", "NAdam", "RAdam", "Adamax"})


@rule("note", on=SetupFacts, probes=("setup",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for optimizer in now.optimizers:
        decays = [g.weight_decay for g in optimizer.groups if g.weight_decay > 0 and not g.decoupled]
        if decays and optimizer.builtin and optimizer.kind in ADAPTIVE:
            yield Evidence(
                message=f"{optimizer.kind} adds its weight decay of {decays[0]:g} to the gradient",
                fix=f"use AdamW, or {optimizer.kind}(decoupled_weight_decay=True), if decoupled decay is meant.",
                site=optimizer.site,
                numbers={"weight_decay": decays[0]},
            )
