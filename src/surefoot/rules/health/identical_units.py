"""The units of a layer are all the same, and stay so.

## What it does
Fires when the rows of a weight matrix were equal before the first step, every row has received gradients and moved
since, and they are still equal.

## Why it matters
Units that start equal get equal gradients: they stay copies of each other, and the layer learns as if it had one
unit. The loss falls a little and stops.

## Common belief
Training breaks ties by itself, so equal initial values are as good as any.

## In truth
Units that start equal get equal gradients and stay equal. Only different initial values, or dropout, break the tie.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
for parameter in model.parameters():
    torch.nn.init.constant_(parameter, 0.1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(32, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.prod(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
torch.nn.init.zeros_(model[2].weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(32, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.prod(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Layers that begin at zero and whose rows part at their first update: outputs, residual branches, adapters. Rows that
get no gradient, such as those of a table that no batch has used.
"""

from collections.abc import Iterator

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if not now.equal_rows:
        return
    first = now.equal_rows[0]
    more = f" (and {len(now.equal_rows) - 1} more)" if len(now.equal_rows) > 1 else ""
    yield Evidence(
        message=f"all rows of {first}{more} were equal at the start and still are after {now.update} updates",
        fix="initialise weights at random (leave torch's default, or torch.nn.init.kaiming_uniform_); only biases, "
        "output and residual layers may start constant.",
        site=now.site,
        numbers={"parameters": list(now.equal_rows), "update": now.update},
    )
