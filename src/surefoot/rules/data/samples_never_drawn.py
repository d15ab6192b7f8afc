"""A weighted sampler has weights for a few samples only, and draws no others.

## What it does
Fires when a `WeightedRandomSampler` with replacement was given far fewer weights than the data set has samples, and
each of these few is drawn many times in every epoch.

## Why it matters
The sampler draws numbers from 0 to the number of weights less one and takes them for samples. With one weight for each
class, training sees the first two or three samples of the data set, over and over.

## Common belief
`WeightedRandomSampler` takes the weights of the classes.

## In truth
It takes the weight of each sample, in the order of the data set: `class_weights[labels]`. It knows nothing of classes,
nor how long the data set is.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
x = torch.randn(96, 4)
y = (torch.rand(96) < 0.1).long()
weights = 1 / y.bincount()
sampler = WeightedRandomSampler(weights, num_samples=96)
loader = DataLoader(TensorDataset(x, y), batch_size=16, sampler=sampler)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for xb, yb in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(xb), yb).backward()
    optimizer.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
x = torch.randn(96, 4)
y = (torch.rand(96) < 0.1).long()
weights = 1 / y.bincount()
sampler = WeightedRandomSampler(weights[y], num_samples=96)
loader = DataLoader(TensorDataset(x, y), batch_size=16, sampler=sampler)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for xb, yb in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(xb), yb).backward()
    optimizer.step()
```

## When it stays silent
A weight for each sample, also one of 0; weights for the first part of a data set, of which each is drawn about once;
sampling without replacement; loaders that are not trained on.
"""

from collections.abc import Iterator

from surefoot.facts import EpochFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.data.order import trains

DRAWS = 8  # of each sample that has a weight: one who leaves out a part on purpose draws about one
SHARE = 4  # the data set is larger by at least this factor


@rule("warning", on=EpochFacts, probes=("data", "epoch"))
def check(now: EpochFacts, past: History) -> Iterator[Evidence]:
    feed = now.feed
    if feed is None or not feed.num_weights or not feed.num_draws or not feed.num_samples or not trains(now):
        return
    weights, draws, samples = feed.num_weights, feed.num_draws, feed.num_samples
    if draws < DRAWS * weights or samples < SHARE * weights:
        return
    yield Evidence(
        message=(
            f"WeightedRandomSampler has {weights} weights for a data set of {samples} samples: it draws the first "
            f"{weights} only, {draws} times in an epoch, and the other {samples - weights} never"
        ),
        fix="give it a weight for each sample: class_weights[labels].",
        site=feed.made or now.site,
        numbers={"weights": weights, "samples": samples, "draws": draws},
    )
