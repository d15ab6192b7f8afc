"""The unfinished accumulation window of an epoch leaks into the next epoch's first step.

## What it does
Notes that a step sums micro-batches from before and after the end of a DataLoader.

## Why it matters
The last batches of an epoch wait for the next one: the first window of each epoch mixes batches of two epochs, and
after the last epoch they are lost.

## Common belief
At the end of an epoch everything starts from zero.

## In truth
Nothing in PyTorch knows of epochs. Gradients of an unfinished window stay on the parameters, and the first step of the
next epoch uses them.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for i, (inputs, targets) in enumerate(loader):
        loss = torch.nn.functional.mse_loss(model(inputs), targets) / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for i, (inputs, targets) in enumerate(loader):
        loss = torch.nn.functional.mse_loss(model(inputs), targets) / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## When it stays silent
The loop steps the tail; the length divides evenly; another loader, such as the validation's, runs in between.
"""

from collections.abc import Iterator

from surefoot.facts import EpochEdgeFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import micro_batches


@rule("note", on=StepFacts, probes=("epoch",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    window = micro_batches(now)
    if not window:
        return
    for edge in now.events:
        if not isinstance(edge, EpochEdgeFacts) or edge.edge != "end" or not window[0].at < edge.at < window[-1].at:
            continue
        restarts = any(
            isinstance(e, EpochEdgeFacts) and e.edge == "start" and e.loader == edge.loader and e.at > edge.at
            for e in now.events
        )
        before = sum(b.at < edge.at for b in window)
        if restarts:
            yield Evidence(
                message=f"{before} of the {len(window)} micro-batches of this step are left over from the epoch before",
                fix="step after the last batch of each epoch, or drop the tail on purpose with drop_last.",
                site=now.site,
                numbers={"carried_over": before, "window": len(window)},
            )
            return
