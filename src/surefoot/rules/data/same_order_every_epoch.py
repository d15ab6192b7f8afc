"""A sampler that shuffles gives the same order in every epoch.

## What it does
Fires when a shuffling or distributed sampler repeats its order: the first batches of an epoch are those of the epoch
before.

## Why it matters
Shuffling that repeats does not shuffle: the same samples share a batch in every epoch. A
`DistributedSampler` derives its order from its own epoch number, which stays 0 unless `set_epoch` is called. A seed set
inside the loop over epochs starts the same shuffle, and the same dropout masks, again and again.

## Common belief
`DistributedSampler(shuffle=True)` shuffles anew in every epoch.

## In truth
Its order depends on its seed and its epoch number, which is 0 until `sampler.set_epoch(epoch)` changes it. Without that
call all epochs have the same order.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 8))
sampler = DistributedSampler(data, num_replicas=2, rank=0)
loader = DataLoader(data, batch_size=4, sampler=sampler)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for (x,) in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 8))
sampler = DistributedSampler(data, num_replicas=2, rank=0)
loader = DataLoader(data, batch_size=4, sampler=sampler)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for (x,) in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
```

## When it stays silent
Evaluation; fewer than four batches; batches that can't be told apart; samplers other than torch's own; runs that each
start from the same seed with an optimizer of their own, as in a comparison of settings or in cross-validation.

## How it decides
A few elements of the first batches are compared. A distributed sampler must repeat one epoch, a random one two epochs
of the same optimizer, because a program may return to the start once.
"""

from collections.abc import Iterator

from surefoot.facts import EpochFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.data.order import num_equal, previous_passes, trains

REPEATS = {"distributed": 1, "random": 2}  # epochs that must have had the order of the present one

_FIX = {
    "distributed": "call sampler.set_epoch(epoch) before each epoch.",
    "random": "set the seed, or make the loader's generator, once before the loop over epochs instead of inside it.",
}


@rule("warning", on=EpochFacts, probes=("data", "epoch"))
def check(now: EpochFacts, past: History) -> Iterator[Evidence]:
    feed = now.feed
    if feed is None or feed.sampler not in REPEATS or not trains(now):
        return
    wanted = REPEATS[feed.sampler]
    before = previous_passes(now, past)[:wanted]
    nums = [num_equal(one, feed, all_different=True) for one in before]
    if len(nums) < wanted or not all(nums):
        return
    kind = "DistributedSampler" if feed.sampler == "distributed" else "shuffling sampler"
    yield Evidence(
        message=(
            f"the {kind} gave epoch {now.epoch} the order of the epoch before: the {min(nums)} batches that were "
            f"compared are the same"
        ),
        fix=_FIX[feed.sampler],
        site=now.site or feed.made,
        numbers={"epoch": now.epoch, "batches": now.num_batches, "compared": min(nums)},
    )
