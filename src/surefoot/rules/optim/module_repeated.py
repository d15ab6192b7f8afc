"""A stack holds the same module in several places, so all its layers share their weights.

## What it does
Fires when a `ModuleList` or `Sequential` holds the same module object in several slots, as `[block] * 6` makes it, and
the loss goes through it several times in a row: its output is its own next input.

## Why it matters
The stack is as deep as it looks but has the weights of a single layer. It trains, only worse than it could; the
optimizer, the checkpoint and the parameter count see one layer.

## Common belief
`[Block()] * 6` makes six blocks.

## In truth
It makes one block and a list that holds it six times, as does `[block for _ in range(6)]`. `[Block() for _ in
range(6)]` makes six.

## Bad
```python
import torch

torch.manual_seed(0)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(4, 4)] * 3)
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x):
        for block in self.blocks:
            x = torch.tanh(block(x))
        return self.head(x)

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
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x):
        for block in self.blocks:
            x = torch.tanh(block(x))
        return self.head(x)

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
One module that is called in a loop, modules without trainable parameters, activations and layer norms, one head for
several outputs, which does not work on its own output, and code that speaks of sharing: the class or function that
builds the stack has a word such as `shared` or `tied` in it.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts, probes=("repeated",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for one in past.setup.repeated:
        if one.is_declared or now.optimizer not in one.optimizers:
            continue
        yield Evidence(
            message=(
                f"a {one.container} holds one {one.module} object in {one.num_slots} slots, and the loss goes through "
                f"it {one.num_in_chain} times in a row: they share one set of {one.num_elements} weights"
            ),
            fix=(
                f"make a new {one.module}(...) for each slot, or copy it with copy.deepcopy(). If they are meant to "
                "share their weights, keep one and call it in a loop."
            ),
            site=one.site or now.site,
            numbers={"slots": one.num_slots, "in_a_row": one.num_in_chain, "weights": one.num_elements},
        )
