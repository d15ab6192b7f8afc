"""Reading a sample changes the stored one, so every epoch trains on what the last one left behind.

## What it does
Fires when assembling a batch writes to rows of the tensors or arrays that the data set holds, in an epoch in which each
of them has been given before.

## Why it matters
An in-place transform is applied again in each epoch, on top of the last ones: noise adds up, normalised data is
normalised again, masked values stay masked. After a few epochs the model trains on data unlike any it will see.

## Common belief
`x = self.data[index]` in `__getitem__` returns a fresh sample.

## In truth
For tensors and arrays it returns a view of the stored data. `x += noise`, `x.mul_()` and `x[...] = 0` write to that
data; `x = x + noise` and `x.clone()` make a copy.

## Bad
```python
import torch
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __init__(self):
        self.x = torch.randn(64, 8)

    def __len__(self):
        return 64

    def __getitem__(self, index):
        x = self.x[index]
        x += 0.1 * torch.randn(8)
        return x, x.sum()

torch.manual_seed(0)
loader = DataLoader(Noisy(), batch_size=8, shuffle=True)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x)[:, 0], y).backward()
        optimizer.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __init__(self):
        self.x = torch.randn(64, 8)

    def __len__(self):
        return 64

    def __getitem__(self, index):
        x = self.x[index]
        x = x + 0.1 * torch.randn(8)
        return x, x.sum()

torch.manual_seed(0)
loader = DataLoader(Noisy(), batch_size=8, shuffle=True)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x)[:, 0], y).backward()
        optimizer.step()
```

## When it stays silent
Caches, which are written once; samples that are replaced by new ones; counters and scores that a data set keeps; what
the program itself changes between two batches, such as a replay buffer or a curriculum; loaders with workers, whose
changes are lost with them; evaluation; a first epoch, and one after an epoch that was left early.

## How it decides
Up to sixteen rows are compared before and after each batch of the second and third epoch. A row counts if what it has
become is related to what it was, and is in the batch; half of the rows must have changed.
"""

from collections.abc import Iterator

from surefoot.facts import EpochFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.data.order import trains

SHARE = 0.5  # of the watched rows; in a whole epoch each has its turn, but for a last short batch
FEWEST = 4  # rows


@rule("warning", on=EpochFacts, probes=("data", "epoch"))
def check(now: EpochFacts, past: History) -> Iterator[Evidence]:
    found = now.feed.in_place if now.feed is not None else None
    if now.feed is None or found is None or not trains(now) or not now.feed.sampler:
        return
    if found.num_changed < max(FEWEST, SHARE * found.num_rows) or not _was_complete(now, past):
        return
    yield Evidence(
        message=(
            f"{found.num_changed} of {found.num_rows} watched rows of {found.name} were changed when a batch of epoch "
            f"{now.epoch} read them: the next epoch trains on the changed rows"
        ),
        fix="change a copy: x = self.data[index].clone() (numpy: .copy()) before any in-place operation.",
        site=found.site or now.feed.made,
        numbers={"changed": found.num_changed, "watched": found.num_rows, "epoch": now.epoch},
    )


def _was_complete(now: EpochFacts, past: History) -> bool:
    """Whether the epoch before gave all samples."""
    before = [one for one in past.epochs if one.loader == now.loader and one.epoch == now.epoch - 1]
    return any(one.complete for one in before)
