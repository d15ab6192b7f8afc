"""`torch.compile` compiles one function again and again.

## What it does
Fires when a run ends in which a function was compiled as often as torch allows, nearly every time because one and the
same thing had another value than before: a counter, a rate that is passed as a number, the size of a batch.

## Why it matters
Each compilation takes seconds, or minutes for a large model. At its limit (8 versions of a function) torch gives up
and runs the function uncompiled for the rest of the run.

## Common belief
A compiled model is compiled once.

## In truth
Torch compiles for the numbers, attributes and shapes it sees, and checks them at every call. What differs from call to
call must be a tensor, or be marked as dynamic.

## Bad
```python
import torch

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.num_calls = torch.nn.Linear(4, 1), 0

    def forward(self, x):
        self.num_calls += 1
        return self.layer(x) / self.num_calls


model = torch.compile(Net(), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
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
        self.register_buffer("num_calls", torch.zeros(()))

    def forward(self, x):
        self.num_calls += 1
        return self.layer(x) / self.num_calls.clone()


model = torch.compile(Net(), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
A function that is compiled a few times, for train and eval mode, a short last batch or a few sizes; one that is
compiled often for different reasons; fewer compilations than `torch._dynamo.config.recompile_limit`.

## How it decides
Torch records what it compiled and why. This record is read once, when the run ends.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=EndFacts, probes=("recompile",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for found in now.recompiles:
        yield Evidence(
            message=(
                f"`{found.function}` was compiled {found.num_compiles} times, in {found.seconds:.1f} s, because of "
                f"`{found.what}`, which has a new value each time; from there on torch runs it uncompiled"
            ),
            fix=(
                "pass what changes as a tensor, keep counters out of what is compiled, or compile with dynamic=True "
                "if it is a size."
            ),
            site=found.site,
            numbers={"compiles": found.num_compiles, "seconds": round(found.seconds, 3)},
        )
