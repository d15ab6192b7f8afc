"""The copies of one model on several ranks have different weights.

## What it does
Fires when weights that DistributedDataParallel keeps equal are not, before a step and by more than rounding; so for
models without it whose gradients the program sends one by one; and when parameters beside a wrapped model were equal at
first and are not any more, though nobody averages their gradients. Compared are checksums and sums of some elements of
each parameter, which every rank notes at its 1st, 2nd, 4th, 8th, … update, and from the 256th on at every 256th.

## Why it matters
Averaged gradients only keep equal weights equal. Copies that differ get gradients computed at other weights than their
own; the saved model is one of them, and none was trained as intended.

## Common belief
DistributedDataParallel keeps the copies of a model equal, whatever happens.

## In truth
It makes them equal once, when it is built, and averages gradients from then on. Anything else that one rank does to its
weights remains a permanent difference.

## Bad
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(torch.nn.Linear(16, 1))
torch.nn.init.normal_(model.module.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(6):
    x = torch.randn(16, 16)
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

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = torch.nn.Linear(16, 1)
torch.nn.init.normal_(model.weight)
model = DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(6):
    x = torch.randn(16, 16)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
dist.destroy_process_group()
```

## When it stays silent
Weights of which each rank holds a part (FSDP, DTensor); parameters outside DistributedDataParallel, or that it is set
to ignore, where ranks begin with different ones or send each other anything by themselves; gradients averaged in
buckets of the program's own; buffers; wrappers of some ranks only; communication hooks; runs with steps that were not
synchronised, which other rules report. Ranks of other machines, and those watched by `sf.watch`, are not compared.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from surefoot.facts import RanksFacts, ReplicaFacts
from surefoot.rules import Evidence, History, rule

# Relative to the size of the weights, in units of what their type of number can tell apart. Other thread counts or
# kinds of processors round differently; what differs by more is no rounding.
ROUNDING = 100
MOST_ROUNDING = 0.01  # for coarse types of numbers


WRAPPED = (
    "load, initialise and change weights before DistributedDataParallel is made, or in the same way on all ranks; give "
    "all ranks the same optimizer settings and the same decisions to step."
)
BY_HAND = (
    "send the weights of one rank to all others before training, with dist.broadcast() of each parameter and buffer: "
    "averaging gradients keeps equal weights equal, and makes no others so."
)
OUTSIDE = (
    "put these parameters into the module that DistributedDataParallel wraps, or wrap their module, too: nothing else "
    "averages their gradients."
)


@rule("error", on=RanksFacts, probes=("dist",))
def check(now: RanksFacts, past: History) -> Iterator[Evidence]:
    text: set[int] = set()
    were_equal: set[int] = set()  # optimizers whose weights outside of wrappers were the same on all ranks once
    for notes in now.rounds:
        difference, name, one, other = _largest(notes)
        if difference > 0 and one.optimizer not in text:
            text.add(one.optimizer)
            message = f"{_since(one)} the weights of ranks {one.rank} and {other.rank} differ by {difference:.2g} of"
            yield _evidence(
                one, other, difference, f"{message} their size, near {name}", WRAPPED if one.model else BY_HAND
            )
        beside = tuple(replace(note.beside, site=note.site) for note in notes if note.beside is not None)
        if len(beside) < len(notes) or one.optimizer in text:
            continue
        difference, name, one, other = _largest(beside)
        if difference == 0:
            were_equal.add(one.optimizer)
        elif one.optimizer in were_equal:
            text.add(one.optimizer)
            message = (
                f"{_since(one)} parameters outside of DistributedDataParallel, near {name}, differ by {difference:.2g} "
                f"of their size on ranks {one.rank} and {other.rank}; they were equal at first, and nobody averages "
                "their gradients"
            )
            yield _evidence(one, other, difference, message, OUTSIDE)


def _since(one: ReplicaFacts) -> str:
    return "before the first update" if one.update == 1 else f"before update {one.update}"


def _evidence(one: ReplicaFacts, other: ReplicaFacts, difference: float, message: str, fix: str) -> Evidence:
    numbers = {"update": one.update, "ranks": [one.rank, other.rank], "difference": difference}
    return Evidence(message=message, fix=fix, site=one.site, step=one.step, numbers=numbers)


def _largest(notes: tuple[ReplicaFacts, ...]) -> tuple[float, str, ReplicaFacts, ReplicaFacts]:
    """The two that differ most, by how much, and where."""
    found = max(((_difference(a, b), a, b) for a, b in combinations(notes, 2)), key=lambda item: item[0][0])
    (difference, name), one, other = found
    return difference, name, one, other


def _difference(one: ReplicaFacts, other: ReplicaFacts) -> tuple[float, str]:
    """Of the block that differs most, relative to its size; 0 if weights are equal, or can't be compared."""
    known = one.checksum is not None and other.checksum is not None and one.checksum != other.checksum
    if not known or (one.num_elements, one.names) != (other.num_elements, other.names):
        return 0.0, ""
    tolerated = min(MOST_ROUNDING, ROUNDING * max(one.resolution, other.resolution))
    found = (0.0, "")
    for a, b, size, name in zip(one.sums, other.sums, one.sizes, one.names, strict=True):
        difference = abs(a - b) / size if size > 0 else 0.0
        if difference > max(tolerated, found[0]):
            found = (difference, name)
    return found
