"""Trainable parameters take no part in the loss.

## What it does
Lists at the end of a run which trainable parameters of an optimizer never got a gradient, because no forward used them
or because what they computed never entered a loss.

## Why it matters
They cost memory and stay at their random initial values. Often it is a layer that forward forgot, or one that an edit
left behind; in data-parallel training they also require `find_unused_parameters`.

## Common belief
Everything in `__init__` is part of the model and is trained.

## In truth
Only what the forward uses on its way to the loss is trained. A layer that is created but never called stays at its
random initial values, in every checkpoint.

## Bad
```python
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.second = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.first(x)))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
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


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.second = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.second(torch.tanh(self.first(x)))))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Frozen parameters, experts and branches that trained at least once, and values that the program moves by hand.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts
from surefoot.rules import Evidence, History, rule

MIN_STEPS = 3
FATES = {
    "unused": "no forward uses them",
    "dead-end": "what they compute never enters a loss",
}


@rule("note", on=EndFacts, probes=("flow",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for one in now.untrained:
        if one.fate not in FATES or one.moved or one.num_steps < MIN_STEPS:
            continue
        made = {optimizer.id: optimizer.site for optimizer in past.setup.optimizers}
        names = ", ".join(one.params[:3])
        yield Evidence(
            message=f"{one.num_params} trainable parameters ({names}) never got a gradient: {FATES[one.fate]}",
            fix="use them in forward, remove them, or freeze them with requires_grad_(False).",
            site=made.get(one.optimizer),
            numbers={"params": one.num_params, "steps": one.num_steps},
        )
