"""Micro-batches of different sizes get the same weight in one step.

## What it does
Fires when the micro-batches of one step average over different numbers of items or tokens, and each mean counts the
same; it reports the share each got and the share it should have had. Means that are written out count too: a sum over
what a mask leaves, divided by its number. It also fires when the first window of every epoch is shorter than the
others, and its losses are divided by the same k.

## Why it matters
The mean of means is not the mean. Items of a short micro-batch count for more than those of a long one: with token
losses and padding, short answers can outweigh long ones several times over.
A step after a shortened first window (`if step % k == 0` is true for the very first batch) uses 1/k of a gradient.

## Common belief
Dividing each micro-batch's mean by k gives the mean over all of them.

## In truth
Only if all have the same number of items. Otherwise the items of short micro-batches count for more; to be exact, sum
the losses and divide by the total number of items.

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
Weights in proportion to the counts, sum-reduced losses that are divided by one number for the whole window, equal
counts, a difference below 1 % of the window's weight, masks that hold other values than zero and one or cover a single
sequence. Short windows: the last of an epoch, whose items then count as much as any other, one that is short now and
then, and loops without a `DataLoader`.
"""

from collections.abc import Iterator

from surefoot.facts import BackwardFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import divisor, first_of_pass, is_touched, micro_batches

TOLERATED_SHARE = 0.01  # a misplaced weight below this is lost in the noise of any batch
EQUAL = 1e-4  # means that count the same may differ by as much, in half precision
SHOWN = 8
SEVERAL = 2  # first windows: one may be short by chance, where a bad batch was left out


def _weights(window: tuple[BackwardFacts, ...]) -> tuple[list[float], list[int]]:
    """What each micro-batch weighs, and its count; empty where one of them is not known."""
    weights: list[float] = []
    counts: list[int] = []
    for b in window:
        loss = b.loss
        count = None if loss is None else loss.num_kept or loss.num_items
        each = None if loss is None else loss.item_weight
        if loss is None or not count or each is None or each <= 0 or loss.reduction not in ("mean", "sum"):
            return [], []
        weights.append(each * count)
        counts.append(count)
    kinds = {b.loss.reduction for b in window if b.loss is not None}
    # A sum is weighted by whatever the program likes, unless each was divided by its own count.
    is_mean = kinds == {"mean"} or max(weights) - min(weights) < EQUAL * max(weights)
    return (weights, counts) if is_mean else ([], [])


@rule("warning", on=StepFacts, probes=("loss",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.inside_step is not None or is_touched(now) or any(g.used_by for g in now.gradients):
        return
    yield from _short_first_window(now, past)
    window = micro_batches(now)
    weights, counts = _weights(window) if window else ([], [])
    if not weights:
        return
    got = [weight / sum(weights) for weight in weights]
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


def _short_first_window(now: StepFacts, past: History) -> Iterator[Evidence]:
    """The first windows of two passes are shorter than others, and all losses are divided by the same number."""
    if not first_of_pass(now):
        return
    earlier = list(past.of(now.optimizer))
    full = next((s for s in earlier if not first_of_pass(s) and divisor(s) == len(s.window)), None)
    firsts = [now, *(s for s in earlier if first_of_pass(s))]
    if full is None or len(firsts) < SEVERAL or not all(_is_shortened(first, full) for first in firsts):
        return
    size, usual = len(now.window), len(full.window)
    yield Evidence(
        message=(
            f"the first step of an epoch uses {size} micro-batch{'es' * (size > 1)} and the next ones {usual}, and "
            f"every loss is divided by {usual}: the first gradient is {size / usual:.2f} times the mean"
        ),
        fix=f"step after each full window: if (i + 1) % {usual} == 0, where i counts batches from 0.",
        site=now.site,
        numbers={"micro_batches": size, "usual": usual, "divided_by": usual},
    )


def _is_shortened(first: StepFacts, full: StepFacts) -> bool:
    kind, usual = first.window[0], full.window[0]
    is_same_loss = kind.site == usual.site and kind.loss is not None and usual.loss is not None
    return (
        is_same_loss
        and kind.reached == usual.reached
        and len(first.window) < len(full.window) == divisor(first)
        and not is_touched(full)
    )
