"""A step moves parameters that are frozen.

## What it does
Fires when an optimizer's step changes parameters with `requires_grad=False`, because they still have an old or zeroed
gradient.

## Why it matters
Freezing only stops new gradients. While `.grad` is not None, an optimizer goes on with momentum, Adam's averages and
weight decay: the frozen weights drift away from what they were frozen at.

## Common belief
With `requires_grad=False` a parameter no longer moves.

## In truth
It gets no new gradient. While `.grad` holds an old one, the optimizer keeps applying it, with momentum and decay; only
parameters whose `.grad` is `None` stay put.

## Bad
```python
import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for step in range(12):
    if step == 4:
        body.requires_grad_(False)
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(head(body(x).relu()), x.sum(1, keepdim=True))
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for step in range(12):
    if step == 4:
        body.requires_grad_(False)
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(head(body(x).relu()), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Averages and copies made outside of a step; parameters frozen between their backward and their step, as GAN loops do.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.optim.missing import counted


@rule("warning", on=StepFacts, probes=("frozen",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if not now.frozen_moved:
        return
    num = len(now.frozen_moved)
    some = ", ".join(now.frozen_moved[:3]) + (", …" if num > 3 else "")
    yield Evidence(
        message=f"this step changes {counted(num, 'frozen parameter')} ({some}): a gradient was left on them",
        fix="clear their gradients with set_to_none (the default), or take them out of the optimizer.",
        site=now.site,
        numbers={"params": num},
    )
