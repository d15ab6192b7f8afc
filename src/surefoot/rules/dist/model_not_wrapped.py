"""Ranks share the data, but each trains its own model.

## What it does
Fires when a process group of several ranks exists, a DistributedSampler gives each rank its part of the training
data, and from the first backward to the end of the run no gradients or weights were sent.

## Why it matters
Every rank sees only part of the data, and the saved model is that of one rank: more machines make it worse, not better.

## Common belief
Starting a script with torchrun makes it data-parallel.

## In truth
torchrun starts processes and sets variables. Gradients are combined only by what the script uses for it:
DistributedDataParallel, FSDP, or its own all-reduce.

## Bad
```python
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = TensorDataset(torch.randn(128, 4))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=16, sampler=sampler)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for (x,) in loader:
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
dist.destroy_process_group()
```

## Good
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = TensorDataset(torch.randn(128, 4))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=16, sampler=sampler)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for (x,) in loader:
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
dist.destroy_process_group()
```

## When it stays silent
Gradients or weights are averaged by hand, be it once at the end; anything large is sent in training, as in pipelines,
tensor parallelism or between actors and learners; some model of the process is wrapped; ranks are not given parts of
one data set by a DistributedSampler, as in ensembles and searches; runs that did not come to their end. What is
smaller than a thousandth of the model, or a few numbers beside a small one, such as a loss for the log, does not count
as sent.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, FeedFacts
from surefoot.rules import Evidence, History, rule

FEWEST_STEPS = 2  # one may be a trial


@rule("error", on=EndFacts, probes=("dist", "data"))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    if now.reason != "finished":
        return
    feeds = [epoch.feed for epoch in past.epochs if epoch.feed is not None and epoch.feed.trained]
    for steps in now.unsynced:
        cut = [feed for feed in feeds if _is_cut(feed, steps.optimizer)]
        if steps.kind != "unwrapped" or steps.num_steps < FEWEST_STEPS or not cut:
            continue
        yield Evidence(
            message=(
                f"{steps.num_steps} steps on one of {cut[0].num_parts} parts of the data, and neither gradients nor "
                f"weights were ever sent to the other {steps.num_ranks - 1} rank(s)"
            ),
            fix=(
                "wrap the model in torch.nn.parallel.DistributedDataParallel before the optimizer is made, and call "
                "the wrapper."
            ),
            site=steps.site,
            numbers={"steps": steps.num_steps, "ranks": steps.num_ranks, "parts": cut[0].num_parts},
        )


def _is_cut(feed: FeedFacts, optimizer: int) -> bool:
    return feed.num_parts > 1 and optimizer in feed.optimizers
