"""Ranks average over different numbers of items but get equal weight.

## What it does
Fires when, at several updates, the mean losses of the ranks are taken over clearly different numbers of items or
tokens, and DistributedDataParallel averages their gradients as if they were equal.

## Why it matters
The mean of means is not the mean. Items on the rank that has few of them count for more than those on the others:
with token losses and padding, short texts outweigh long ones.

## Common belief
Averaging the gradients of all ranks gives the gradient of the whole batch.

## In truth
Only if each rank averages over equally many items. DistributedDataParallel divides by the number of ranks, not by the
number of items or tokens.

## Bad
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(32, 8)
    target = x[:, :4].argmax(1)
    target[8 + 16 * dist.get_rank() :] = -100
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), target).backward()
    optimizer.step()
dist.destroy_process_group()
```

## Good
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(32, 8)
    target = x[:, :4].argmax(1)
    target[8 + 16 * dist.get_rank() :] = -100
    total = (target != -100).sum()
    dist.all_reduce(total)
    loss = torch.nn.functional.cross_entropy(model(x), target, reduction="sum")
    optimizer.zero_grad()
    (loss * dist.get_world_size() / total.item()).backward()
    optimizer.step()
dist.destroy_process_group()
```

## When it stays silent
Sums that are divided by the number of items of all ranks; means that are weighted by their counts; counts that differ
by less than a tenth, or at single updates, as in the last batch of an epoch; gradients that the program changes
itself; losses that can't be read; `sf.Loop`, which weights ranks by their items. Ranks of other machines, and those
watched by `sf.watch`, are not compared.
"""

from collections.abc import Iterator

from surefoot.facts import RanksFacts, ReplicaFacts
from surefoot.rules import Evidence, History, rule

TOLERATED = 0.1  # of the share that a rank should have; less is lost in the noise of any batch
FEWEST_NOTES = 3  # the last batch of an epoch may be short on one rank


@rule("warning", on=RanksFacts, probes=("dist", "loss"))
def check(now: RanksFacts, past: History) -> Iterator[Evidence]:
    rounds = [notes for notes in now.rounds if all(note.num_items for note in notes)]
    for optimizer in sorted({notes[0].optimizer for notes in rounds}):
        mine = [notes for notes in rounds if notes[0].optimizer == optimizer]
        unequal = [notes for notes in mine if _is_unequal(notes)]
        if len(unequal) < FEWEST_NOTES or 2 * len(unequal) < len(mine):
            continue
        notes = unequal[0]
        counts = [note.num_items or 0 for note in notes]
        yield Evidence(
            message=(
                f"the losses of ranks {', '.join(str(note.rank) for note in notes)} average over "
                f"{', '.join(map(str, counts))} items and count the same, at {len(unequal)} of {len(mine)} updates "
                "that were compared"
            ),
            fix=(
                "sum the losses, and divide by the number of items of all ranks over the number of ranks, or let "
                'sf.Loop(parallel="ddp") weight them.'
            ),
            site=notes[0].loss or notes[0].site,
            step=notes[0].step,
            numbers={"items": counts, "ranks": [note.rank for note in notes]},
        )


def _is_unequal(notes: tuple[ReplicaFacts, ...]) -> bool:
    """Whether some rank's share in the step is not the share of its items."""
    factors = [note.factor for note in notes]
    counts = [note.num_items or 0 for note in notes]
    if sum(factors) <= 0 or min(factors) <= 0:
        return False
    shares = [(f / sum(factors), c / sum(counts)) for f, c in zip(factors, counts, strict=True)]
    return any(abs(got - right) > TOLERATED * right for got, right in shares)
