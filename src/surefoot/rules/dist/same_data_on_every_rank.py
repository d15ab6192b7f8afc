"""Ranks train on the same samples.

## What it does
Fires when the inputs of DistributedDataParallel are equal on two ranks at every update at which they were noted, at
least three, and change from update to update.

## Why it matters
Every rank computes the same gradient, and the average of equal gradients is that same gradient: n ranks cost n times as
much and learn nothing more.

## Common belief
With several ranks, each gets its part of the data.

## In truth
Each rank runs the same script over the whole data set. Only a DistributedSampler, or a split by rank, makes their
batches differ.

## Bad
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(128, 4)), batch_size=16, shuffle=True)
for (x,) in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
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
loader = DataLoader(data, batch_size=16, sampler=DistributedSampler(data))
for (x,) in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
dist.destroy_process_group()
```

## When it stays silent
One batch that is used all the time, as when a model is to overfit it; the same samples with other augmentations,
masks or noise on each rank; a batch that is cut up between ranks before the forward; wrappers of some ranks only,
where others share the work on each sample. Ranks of other machines, and those watched by `sf.watch`, are not
compared.
"""

from collections.abc import Iterator
from itertools import combinations

from surefoot.facts import RanksFacts, ReplicaFacts
from surefoot.rules import Evidence, History, rule

FEWEST_NOTES = 3  # of different batches; equal ones may meet by chance, or be a warm-up


@rule("warning", on=RanksFacts, probes=("dist",))
def check(now: RanksFacts, past: History) -> Iterator[Evidence]:
    rounds = [notes for notes in now.rounds if all(any(note.marks) for note in notes)]
    for optimizer in sorted({notes[0].optimizer for notes in rounds}):
        mine = [{note.rank: note for note in notes} for notes in rounds if notes[0].optimizer == optimizer]
        ranks = sorted({rank for notes in mine for rank in notes})
        pairs = [pair for pair in combinations(ranks, 2) if _is_same(mine, *pair)]
        if not pairs:
            continue
        same = sorted({rank for pair in pairs for rank in pair})
        first = mine[0][same[0]]
        yield Evidence(
            message=(
                f"ranks {', '.join(map(str, same))} gave {_model(mine)} the same inputs at all {len(mine)} updates "
                "that were compared"
            ),
            fix=(
                "give the loader a DistributedSampler (and call its set_epoch), or let each rank draw its own samples; "
                "where data is made at random, seed it with the rank."
            ),
            site=first.loader or first.site,
            step=first.step,
            numbers={"ranks": same, "updates": [notes[same[0]].update for notes in mine if same[0] in notes]},
        )


def _is_same(rounds: list[dict[int, ReplicaFacts]], one: int, other: int) -> bool:
    both = [(notes[one].marks, notes[other].marks) for notes in rounds if one in notes and other in notes]
    return len({marks for marks, _ in both}) >= FEWEST_NOTES and all(mine == others for mine, others in both)


def _model(rounds: list[dict[int, ReplicaFacts]]) -> str:
    model = next(iter(rounds[0].values())).model
    return model or "the model"
