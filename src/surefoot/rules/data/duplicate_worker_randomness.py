"""DataLoader workers draw the same random numbers as each other, or the same in every epoch.

## What it does
Fires when several workers of a training loader draw from copies of one random generator that are in the same state, so
their samples get the same random augmentations; also when a worker repeats the draws of the epoch before, because
`worker_init_fn` seeds it with its worker number alone.

## Why it matters
Each worker is a copy of the process, with a copy of every generator that the data set holds. Torch seeds the global
generators of Python, numpy and torch anew in each worker, but not a `np.random.default_rng(0)` or `random.Random(0)` of
your own. The first sample of every worker then gets the same crop, flip or noise, the second too, and, unless the
workers persist, this repeats in every epoch.

## Common belief
PyTorch seeds every worker, so the random numbers of workers differ.

## In truth
It seeds the global generators of torch, Python and numpy. A generator object that the data set holds is copied into
every worker as it is, and all copies draw the same numbers. Workers are started anew in each epoch: what
`worker_init_fn` seeds with `worker_id` begins again with the same numbers.

## Bad
```python
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __init__(self):
        self.x = torch.linspace(0, 1, 64)[:, None].repeat(1, 8)
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index] + float(self.rng.normal())

torch.manual_seed(0)
loader = DataLoader(Noisy(), batch_size=8, shuffle=True, num_workers=2, multiprocessing_context="fork")
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
```

## Good
```python
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __init__(self):
        self.x = torch.linspace(0, 1, 64)[:, None].repeat(1, 8)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index] + float(np.random.normal())

torch.manual_seed(0)
loader = DataLoader(Noisy(), batch_size=8, shuffle=True, num_workers=2, multiprocessing_context="fork")
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
```

## When it stays silent
The generator is seeded by worker, in `worker_init_fn` or at first use; by sample; it is not drawn from while samples
are made; iterable-style data sets, whose workers may have to agree on an order; workers that are not forked, which
can't tell; loaders with fewer than two batches for each worker; evaluation; epochs that are compared without a
shuffling sampler, or by another optimizer.

## How it decides
Workers look at the states of the generators before their first batch, after it and after the second. The three must
differ from each other, and be the same in two workers, or in one worker and two epochs whose samples came in another
order.
"""

from collections.abc import Iterator

from surefoot.facts import EpochFacts, FeedFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.data.order import num_equal, previous_passes, trains


@rule("warning", on=EpochFacts, probes=("data", "epoch"))
def check(now: EpochFacts, past: History) -> Iterator[Evidence]:
    feed = now.feed
    if feed is None or not trains(now):
        return
    if not feed.shared_generators:
        yield from _repeated(now, feed, past)
        return
    shared = feed.shared_generators[0]
    fix = (
        "seed it in worker_init_fn with torch.initial_seed(), which differs between workers, or not at all."
        if shared.is_global
        else "draw from torch or numpy.random, which are seeded in each worker, or make the generator in the worker, "
        "seeded with torch.initial_seed()."
    )
    yield Evidence(
        message=(
            f"workers of the loader draw the same random numbers: {shared.num_workers} of {feed.num_workers} went "
            f"through the same states of {shared.name} in their first two batches"
        ),
        fix=fix,
        site=feed.made or now.site,
        numbers={"generator": shared.name, "workers": feed.num_workers, "alike": shared.num_workers},
    )


def _repeated(now: EpochFacts, feed: FeedFacts, past: History) -> Iterator[Evidence]:
    """Workers that torch started with other seeds than in the epoch before, and that drew the same nevertheless."""
    before = next((one for one in previous_passes(now, past) if one.workers), None)
    if before is None or feed.sampler != "random" or num_equal(before, feed, all_different=False):
        return
    then = {worker.number: worker for worker in before.workers}
    alike = [
        {name for name, _ in set(worker.streams) & set(then[worker.number].streams)}
        for worker in feed.workers
        if worker.number in then and worker.seed != then[worker.number].seed
    ]
    names = sorted(set.intersection(*alike)) if alike else []
    if names:
        yield Evidence(
            message=(
                f"workers of the loader drew the same random numbers as in the epoch before: all {len(alike)} that "
                f"were compared went through the same states of {names[0]} in their first two batches"
            ),
            fix="seed with torch.initial_seed() in worker_init_fn: it is another number in each epoch and worker.",
            site=feed.made or now.site,
            numbers={"generator": names[0], "workers": feed.num_workers, "epoch": now.epoch},
        )
