"""Every target of a batch is the ignored index.

## What it does
Fires when a cross-entropy or NLL loss is averaged over no target at all, because all of them equal `ignore_index`, in
every batch or only in some; for summed losses when that happens again.

## Why it matters
The mean over nothing is NaN: it spoils running averages, early stopping and schedules that read the loss, and the batch
teaches nothing. Often all labels are masked by mistake, or the wrong index is ignored.

## Common belief
A batch without targets has a loss of zero.

## In truth
A mean over nothing is 0/0, which is NaN. Its gradients may be zero, so that the weights survive, but every average that
takes in the loss is lost.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(8):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    y[: 16 if i == 5 else 4] = -100
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(8):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    y[: 16 if i == 5 else 4] = -100
    if (y == -100).all():
        continue
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
One such batch in a program that sums and divides itself; a summed loss that is one of several terms, as for tasks
whose labels some batches lack; batches that the program skips.
"""

import math
from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import earlier, losses

BATCHES = 2  # without a single target, where one by itself does no harm


@rule("warning", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for backward, part in losses(now):
        if part.num_valid != 0:
            continue
        is_alone = backward.loss is part and part.num_terms == 1
        is_mean = part.reduction == "mean" and part.num_items == 0
        is_nan = is_mean or (is_alone and backward.value is not None and math.isnan(backward.value))
        num_empty = 1 + sum(p.num_valid == 0 for p in earlier(past, part))
        if not is_nan and (num_empty < BATCHES or not is_alone):
            continue
        follows = "its mean is NaN" if is_nan else f"{num_empty} batches so far taught nothing"
        yield Evidence(
            message=f"no target of a batch counts in this {part.kind} loss, because all are its ignored index "
            f"or there are none: {follows}",
            fix="check how targets are chosen and masked and which ignore_index is set; skip batches without targets.",
            site=part.site,
            numbers={"valid_targets": 0, "backward": backward.ordinal},
        )
