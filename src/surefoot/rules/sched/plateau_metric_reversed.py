"""`ReduceLROnPlateau` takes improvement for decline.

## What it does
Fires when `ReduceLROnPlateau` in mode `min` is fed an accuracy that rises while the training loss falls, or in mode
`max` a loss that falls with it.

## Why it matters
Every improvement counts as a bad epoch. The rate is cut again and again while the model learns well, until it is too
small to go on.

## Common belief
`ReduceLROnPlateau` watches whatever it is given and notices when it stops getting better.

## In truth
It does not know which direction is better: the default `mode="min"` is for losses. Given an accuracy, it counts every
improvement as a bad epoch.

## Bad
```python
import torch

torch.manual_seed(0)
x = torch.randn(256, 4)
y = (x.sum(1) > 0).long()
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", patience=2)
for epoch in range(8):
    for batch in torch.randperm(256).split(64):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    scheduler.step(accuracy)
```

## Good
```python
import torch

torch.manual_seed(0)
x = torch.randn(256, 4)
y = (x.sum(1) > 0).long()
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=2)
for epoch in range(8):
    for batch in torch.randperm(256).split(64):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    scheduler.step(accuracy)
```

## When it stays silent
A validation loss that rises because the model overfits: it is no share of counted samples. An error rate in mode
`min`, a metric without a clear trend, fewer than four values.

## How it decides
An accuracy is a share: all values are multiples of one 1/N, between 0 and 1 or 0 and 100. It must rise to 0.6 or
above and leave at most three quarters of its distance to 1, which an error rate does not do while the training loss
falls. A loss in mode `max` must fall together with the training loss and stay within a factor of three of it.
"""

import math
from collections.abc import Iterator, Sequence

from surefoot.facts import EndFacts, ScheduleFacts, StepFacts
from surefoot.rules import Evidence, History, rule

ENOUGH_VALUES = 4  # of the metric: fewer trends are chance
CLEAR = 0.6  # of all pairs of values, those in order minus those out of order
MOST_SAMPLES = 5000  # N up to which shares are recognised: beyond, any number is near some k/N
SINGLE_PRECISION = 2e-7  # how far a share may be from k/N
GOOD, KEPT_ERROR = 0.6, 0.75  # of an accuracy: an error rate does not climb that high, nor by so much
KINDRED = 3.0  # how far a loss on other data may be from the training loss


def _trend(values: Sequence[float]) -> float:
    """Kendall's tau without ties: 1 when every later value is higher, -1 when every one is lower."""
    signs = [(b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1 :]]
    ordered = [sign for sign in signs if sign]
    return sum(ordered) / len(ordered) if ordered else 0.0


def _are_shares(values: Sequence[float]) -> bool:
    """Whether all are multiples of one 1/N."""
    if not all(0 <= value <= 1 for value in values) or len(set(values)) < 2:
        return False
    return any(
        all(abs(value - round(value * n) / n) < SINGLE_PRECISION for value in values) for n in range(2, MOST_SAMPLES)
    )


def _is_accuracy_in_min(metrics: Sequence[float]) -> bool:
    shares = [metric / 100 for metric in metrics] if max(metrics) > 1 else list(metrics)
    rises = shares[-1] >= GOOD and 1 - shares[-1] <= KEPT_ERROR * (1 - shares[0])
    return rises and _trend(shares) >= CLEAR and _are_shares(shares)


def _is_loss_in_max(metrics: Sequence[float], losses: Sequence[float]) -> bool:
    near = all(loss / KINDRED <= metric <= loss * KINDRED for metric, loss in zip(metrics, losses, strict=True))
    return near and _trend(metrics) <= -CLEAR and not _are_shares(metrics)


def _is_reversed(schedule: ScheduleFacts) -> bool:
    pairs = [(metric, loss) for metric, loss in schedule.metrics if math.isfinite(metric) and math.isfinite(loss)]
    if len(pairs) < ENOUGH_VALUES:
        return False
    metrics, losses = [p[0] for p in pairs], [p[1] for p in pairs]
    if _trend(losses) > -CLEAR:
        return False
    maximises = schedule.made.setting("maximise") > 0
    return _is_loss_in_max(metrics, losses) if maximises else _is_accuracy_in_min(metrics)


@rule("warning", on=(StepFacts, EndFacts), probes=("schedule",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules:
        if not schedule.metrics or not _is_reversed(schedule):
            continue
        mode, other = ("max", "min") if schedule.made.setting("maximise") else ("min", "max")
        (first, loss_before), (last, loss_after) = schedule.metrics[0], schedule.metrics[-1]
        yield Evidence(
            message=(
                f'{schedule.made.kind} in mode "{mode}" is fed a metric that goes from {first:.3g} to {last:.3g} while '
                f"the training loss falls from {loss_before:.3g} to {loss_after:.3g}: improvement counts as a plateau"
            ),
            fix=f'make the scheduler with mode="{other}", or feed it the metric that mode "{mode}" is for.',
            site=schedule.site,
            numbers={"first": first, "last": last, "loss_before": loss_before, "loss_after": loss_after},
        )
