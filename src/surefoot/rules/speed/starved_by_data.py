"""The training loop spends much of its time waiting for its DataLoader.

## What it does
Fires when a loop that trains has waited for its loader for more than 40 % of the time of at least 200 steps, and at
least 5 ms a batch. Both times are measured.

## Why it matters
The model is idle while batches are assembled. Until that changes, a faster device or a better kernel makes little
difference.

## Common belief
Loading runs in the background while the model computes.

## In truth
With `num_workers=0`, the default, it runs in the loop itself, between two steps. Workers load ahead, and the loop
still waits if there are too few of them.

## Bad
```python
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, i):
        time.sleep(0.003)
        return torch.full((4,), float(i % 7)), torch.ones(1)


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for x, y in DataLoader(Slow(), batch_size=8, shuffle=True):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, Dataset


class Prepared(Dataset):
    def __init__(self):
        self.items = torch.arange(1600).remainder(7).float().view(-1, 1).expand(-1, 4).contiguous()

    def __len__(self):
        return 1600

    def __getitems__(self, indices):
        return [(self.items[i], torch.ones(1)) for i in indices]


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for x, y in DataLoader(Prepared(), batch_size=8, shuffle=True):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Small programs whose batches take less than 5 ms; data sets without a length, which stream;
evaluation; the first batch of a pass, for which workers are started.
"""

from collections.abc import Iterator

from surefoot.facts import EpochFacts
from surefoot.rules import Evidence, History, rule

STEPS = 200
SHARE = 0.4
PER_BATCH = 0.005  # seconds: putting together what is small takes less, and a step of a small model less still


@rule("warning", on=EpochFacts)
def check(now: EpochFacts, past: History) -> Iterator[Evidence]:
    passes = [now, *(epoch for epoch in past.epochs if epoch.site == now.site)]
    passes = [epoch for epoch in passes if epoch.num_steps and epoch.length is not None]
    num_steps = sum(epoch.num_steps for epoch in passes)
    num_waits = sum(epoch.num_batches - 1 for epoch in passes)
    seconds, waited = sum(epoch.seconds for epoch in passes), sum(epoch.wait_seconds for epoch in passes)
    if now.num_steps == 0 or num_steps < STEPS or waited < SHARE * seconds or waited < PER_BATCH * num_waits:
        return
    yield Evidence(
        message=(
            f"the loop waited for this DataLoader for {waited:.1f} of {seconds:.1f} s ({waited / seconds:.0%}), "
            f"{1000 * waited / num_waits:.1f} ms a batch; the rest took {1000 * (seconds - waited) / num_waits:.1f} ms"
        ),
        fix=_advice(now.num_workers),
        site=now.site,
        step=now.step,
        numbers={"wait_seconds": round(waited, 3), "seconds": round(seconds, 3), "workers": now.num_workers},
    )


def _advice(num_workers: int) -> str:
    if not num_workers:
        return (
            "load in the background (num_workers=4), or do the work on each sample once, before training; with "
            "num_workers=0 the loop does it between two steps."
        )
    return (
        f"give it more than {num_workers} workers if there are cores for them, or do the work on each sample once, "
        "before training."
    )
