"""Training data comes in the same order in every epoch, because the loader does not shuffle.

## What it does
Fires when a model is trained for a second epoch on a map-style data set whose `DataLoader` goes through it from the
first sample to the last, and the batches are seen to be the same as in the epoch before.

## Why it matters
The same samples meet in the same batches, epoch after epoch. Where the data is sorted, by class or by source, each
batch pulls the weights towards one class and the next one away again; batch-norm sees one class at a time. `shuffle`
is off unless it is asked for.

## Common belief
A DataLoader shuffles its data.

## In truth
Only with `shuffle=True`. Its default is the order of the data set, in every epoch the same.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(64) // 16
data = TensorDataset(torch.randn(64, 8) + labels[:, None], labels)
loader = DataLoader(data, batch_size=8)
model = torch.nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(64) // 16
data = TensorDataset(torch.randn(64, 8) + labels[:, None], labels)
loader = DataLoader(data, batch_size=8, shuffle=True)
model = torch.nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## When it stays silent
Evaluation; a single epoch; fewer than four batches; iterable-style data sets; any sampler other than torch's
`SequentialSampler` (or a `DistributedSampler` with `shuffle=False`); a data set that gives other samples each time;
time series, sequences, streams and the like, by the name of the data set's class or of a variable that holds it. A
part that `random_split` drew in no order is a note.

## How it decides
The sampler's class, and a few elements of the first batches of two epochs: the pictures, the labels or another tensor
must be the same, which they are not when the data set itself draws samples at random.
"""

from collections.abc import Iterator

from surefoot.facts import EpochFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.data.order import is_ordered_by_name, num_equal, previous_passes, trains


@rule("warning", on=EpochFacts, probes=("data", "epoch"))
def check(now: EpochFacts, past: History) -> Iterator[Evidence]:
    feed = now.feed
    if feed is None or feed.sampler != "sequential" or not trains(now) or is_ordered_by_name(feed.names):
        return
    before = next(iter(previous_passes(now, past)), None)
    num = num_equal(before, feed, all_different=False) if before is not None else 0
    if not num:
        return
    samples = f"the {feed.num_samples} samples" if feed.num_samples else "the samples"
    yield Evidence(
        message=(
            f"training goes through {samples} in the same order in every epoch: the {num} batches that were compared "
            f"with the epoch before are the same"
        ),
        fix="pass shuffle=True to the DataLoader of the training data.",
        site=feed.made or now.site,
        numbers={"epoch": now.epoch, "batches": now.num_batches, "compared": num},
        level="note" if feed.shuffled_once else None,
    )
