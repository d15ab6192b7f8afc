"""Micro-batches of different sizes get the same weight in one step.

## What it does
Fires when the micro-batches of one step average over different numbers of items or tokens, and each mean counts the
same; it reports the share each got and the share it should have had.

## Why it matters
The mean of means is not the mean. Items of a short micro-batch count for more than those of a long one: with token
losses and padding, short answers can outweigh long ones several times over.

## Common belief
Dividing each micro-batch's mean by k gives the mean over all of them.

## In truth
Only if all have the same number of items. Otherwise the items of short micro-batches count for more; the exact way is
to sum the losses and divide by the number of all items.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    for size in (7, 5, 3, 1):
        x = torch.randn(size, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss / 4).backward()
    optimizer.step()
    optimizer.zero_grad()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    for size in (7, 5, 3, 1):
        x = torch.randn(size, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss * size / 16).backward()
    optimizer.step()
    optimizer.zero_grad()
```

## When it stays silent
Weights in proportion to the counts, sum-reduced losses, equal counts, a difference below 1 % of the window's weight.
"""

from collections.abc import Iterator

from surefoot.facts import BackwardFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import is_touched, micro_batches

TOLERATED_SHARE = 0.01  # a misplaced weight below this is lost in the noise of any batch
SHOWN = 8


def _weights(window: tuple[BackwardFacts, ...]) -> tuple[list[float], list[int]]:
    """The factor and the count of each micro-batch; empty where one of them is not known."""
    factors: list[float] = []
    counts: list[int] = []
    for b in window:
        loss = b.loss
        if loss is None or loss.reduction != "mean" or loss.factor is None or not loss.num_items or loss.factor <= 0:
            return [], []
        factors.append(loss.factor)
        counts.append(loss.num_items)
    return factors, counts


@rule("warning", on=StepFacts, probes=("loss",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    window = micro_batches(now)
    if not window or now.inside_step is not None or is_touched(now) or any(g.used_by for g in now.gradients):
        return
    factors, counts = _weights(window)
    if not factors:
        return
    got = [f / sum(factors) for f in factors]
    right = [c / sum(counts) for c in counts]
    worst = max(range(len(window)), key=lambda i: abs(got[i] - right[i]))
    if abs(got[worst] - right[worst]) < TOLERATED_SHARE:
        return
    sizes = ", ".join(str(c) for c in counts[:SHOWN]) + (", …" if len(counts) > SHOWN else "")
    yield Evidence(
        message=(
            f"micro-batches of {sizes} items are averaged one by one: the one with {counts[worst]} got a share of "
            f"{got[worst]:.4f} of the step and should have had {right[worst]:.4f}"
        ),
        fix="sum the losses and divide by the number of items of the whole window, or weight each mean by its count.",
        site=window[0].site,
        numbers={
            "items": counts[:SHOWN],
            "shares": [round(s, 4) for s in got[:SHOWN]],
            "right_shares": [round(s, 4) for s in right[:SHOWN]],
        },
    )
