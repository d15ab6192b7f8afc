"""A parameter starts with whatever was in memory.

## What it does
Fires when a parameter is made by `torch.empty(...)` or `torch.Tensor(rows, columns)` and a loss uses it before anything
was written to it.

## Why it matters
The memory may hold zeros, old activations, huge numbers or NaN. The same program trains on one machine, or on one day,
and diverges on another; no seed makes it repeatable.

## Common belief
`torch.Tensor(3, 4)` and `torch.empty(3, 4)` start at zero, or at random.

## In truth
They allocate memory and leave its contents, which in a fresh process are often zeros. `torch.nn.Parameter` does not
initialise anything, and `reset_parameters()` runs only if it is called.

## Bad
```python
import torch

torch.manual_seed(0)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.shift = torch.nn.Parameter(torch.empty(4))

    def forward(self, x):
        return self.layer(x + torch.nan_to_num(self.shift).tanh())

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
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

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.shift = torch.nn.Parameter(torch.empty(4))
        torch.nn.init.zeros_(self.shift)

    def forward(self, x):
        return self.layer(x + torch.nan_to_num(self.shift).tanh())

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Parameters that are written to in any way before the first step: `reset_parameters`, `torch.nn.init`, `.data`, a
checkpoint, the first forward; the meta device; memory that held zeros in a program that writes through `.data` or
`detach()`, which might have written the same zeros.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=SetupFacts, probes=("uninitialised",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    known = {one.name for one in past.setup.uninitialised}
    for one in now.uninitialised:
        if one.name in known:
            continue
        yield Evidence(
            message=(
                f"{one.name} {one.shape} is made by {one.made_by}(), and nothing was written to it before the loss "
                "used it: it holds what was in memory"
            ),
            fix="initialise it, with one of torch.nn.init, or make it by torch.zeros(...) or torch.randn(...).",
            site=one.site,
            numbers={"shape": one.shape},
        )
