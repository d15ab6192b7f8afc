"""Mean losses of several micro-batches are summed into one step and never divided.

## What it does
Fires when k mean-reduced losses from one line are accumulated into one step, with no 1/k anywhere: not on the loss,
not in `gradient=`, not on the gradients before the step.

## Why it matters
The gradient is k times that of the batch the accumulation stands for. The rate is then k times the one meant, a
clipping limit bites k times sooner, and results change whenever k does.

## Common belief
Accumulating k micro-batches gives the gradient of the large batch.

## In truth
It gives the sum of k gradients. If each loss is a mean over its micro-batch, the sum is k times the mean over the large
batch, unless each loss is divided by k.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(32):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(32):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## When it stays silent
Sum-reduced losses; several different losses backwarded once each; gradients divided before the step. For optimizers
of the Adam family without clipping and without L2 decay, which cancel a constant factor, it is a note.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import is_touched, micro_batches

# Their update does not change when all gradients are multiplied by a constant.
SCALE_FREE = {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "RMSprop", "Rprop", "Adafactor", "Muon", "Lion"}
COUPLED_DECAY = {"Adam", "NAdam", "RAdam", "Adamax", "Adagrad", "RMSprop"}  # L2: decay weighs against the gradient


def _cancels_scale(now: StepFacts, past: History) -> bool:
    optimizer = next((o for o in past.setup.optimizers if o.id == now.optimizer), None)
    if optimizer is None or optimizer.kind not in SCALE_FREE or now.clips:
        return False
    return optimizer.kind not in COUPLED_DECAY or all(g.weight_decay == 0 for g in optimizer.groups)


@rule("warning", on=StepFacts, probes=("loss",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    window = micro_batches(now)
    if not window or now.inside_step is not None or is_touched(now):
        return
    if any(g.used_by for g in now.gradients):  # stale gradients are another bug
        return
    if not all(b.loss is not None and b.loss.reduction == "mean" and b.loss.factor == 1.0 for b in window):
        return
    size = len(window)
    yield Evidence(
        message=f"{size} mean losses are summed into one step and never divided: the gradient is {size} times the mean",
        fix=f"backward the loss divided by the number of micro-batches: (loss / {size}).backward().",
        site=window[0].site,
        numbers={"micro_batches": size, "factor_of_each": 1.0, "factor_meant": round(1 / size, 6)},
        level="note" if _cancels_scale(now, past) else None,
    )
