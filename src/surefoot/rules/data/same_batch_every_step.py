"""The same batch feeds every step, though the loader has others.

## What it does
Fires when one batch was taken from a `DataLoader` with several and all steps since use it, or when the loader is
started anew for every step and gives the same first batch each time.

## Why it matters
The model memorises one batch and never sees the rest of the data, while its loss falls nicely. That is right for
testing whether a model can overfit one batch, and wrong for anything else.

## Common belief
A training loss that falls fast shows that the data is learned.

## In truth
It shows that the model learns what it is fed. `next(iter(loader))` starts a new pass each time; outside the loop, it
yields one batch for the whole run.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x, y = next(iter(loader))
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
```

## When it stays silent
All data is one batch, with or without a loader; a batch that is used for some steps before the next one is taken
(adaptation, several epochs over a buffer); an image or an attack is optimised, not a model.

## How it decides
The batch must be found among the tensors that the graph of the loss keeps, at several steps; of a loader that is
started anew, all that the graph keeps of as many rows may stay the same instead, as where features are made of the
batch. A batch that was taken once must have fed 256 steps, or 16 in a run that ends with them; a loader that is started
anew must have given it 8 times.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=(StepFacts, EndFacts), probes=("data", "epoch"))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    same = now.same_batch
    if same is None:
        return
    again = f"; the loader was started anew {same.num_taken} times and gave the same one" if same.num_taken > 1 else ""
    yield Evidence(
        message=f"one batch of the {same.length} that the loader has fed all of the last {same.num_steps} steps{again}",
        fix="train inside `for batch in loader:`; if this is a test of overfitting one batch, ignore it.",
        site=same.site,
        numbers={"batches": same.length, "steps": same.num_steps, "times_taken": same.num_taken},
    )
