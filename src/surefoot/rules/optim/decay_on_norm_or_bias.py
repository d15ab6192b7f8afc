"""Weight decay covers normalisation weights and biases.

## What it does
Notes an optimizer whose groups with weight decay hold parameters of normalisation layers, or biases.

## Why it matters
Decay should keep weight matrices small. It also pulls the scale of a normalisation layer towards 0 instead of 1, and
biases towards 0, which is useless and often costs a little accuracy.

## Common belief
Weight decay is for all parameters.

## In truth
It is for weight matrices. The scale of a normalisation layer is pulled from 1 towards 0, and biases towards 0, for no
gain; two groups keep them apart.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
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
groups = [{"params": [model.weight]}, {"params": [model.bias], "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=0.01, weight_decay=0.1)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
No decay, or none on these parameters.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("note", on=SetupFacts, probes=("setup",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for optimizer in now.optimizers:
        groups = [g for g in optimizer.groups if g.weight_decay > 0 and g.num_norm_or_bias]
        if groups:
            num = sum(g.num_norm_or_bias for g in groups)
            yield Evidence(
                message=f"weight decay of {groups[0].weight_decay:g} covers {num} biases and normalisation weights",
                fix="put them into a parameter group of their own with weight_decay=0.",
                site=optimizer.site,
                numbers={"params": num},
            )
