"""An optimizer steps with a learning rate below zero.

## What it does
Fires when the learning rate of a parameter group falls below 0 and the optimizer goes on stepping: a linear decay that
is not stopped at its end, a warm-up counted from the wrong step.

## Why it matters
A step with a negative rate goes uphill: it raises the loss and undoes what was learned, faster with every step that the
schedule goes on.

## Common belief
A schedule that has reached 0 stays there.

## In truth
`1 - step / total` falls below 0 as soon as the loop runs longer than `total`. Optimizers reject a negative rate when
they are created, but nothing checks the rate that a schedule or the program sets later.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / 8)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / 8))
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
```

## When it stays silent
A rate that is below 0 from the first step on, or that only changes its sign, which is how some climb on purpose
(`maximize=True` is torch's way), optimizers that are not torch's own, and steps that a GradScaler skipped.
"""

from collections.abc import Iterator
from math import isclose

from surefoot.facts import SetupFacts, Site, StepFacts
from surefoot.rules import Evidence, History, rule

ROUNDING = 1e-6  # of the last rate above 0; a schedule that ends at 0 may miss it by less


@rule(
    "error",
    on=StepFacts,
    probes=("setup",),
    follows=("schedule-counts-micro-batches", "epoch-schedule-stepped-per-batch"),
)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.skipped or not any(lr < 0 for lr in now.lrs):
        return
    optimizer = next((o for o in past.setup.optimizers if o.id == now.optimizer), None)
    if optimizer is None or not optimizer.builtin:
        return
    earlier = [step.lrs for step in past.of(now.optimizer) if len(step.lrs) == len(now.lrs)]
    for group, lr in enumerate(now.lrs):
        before = [lrs[group] for lrs in earlier]
        last = next((one for one in before if one > 0), 0.0)  # newest first
        if -lr > ROUNDING * last > 0 and not isclose(-lr, last):
            yield Evidence(
                message=f"the learning rate of parameter group {group} is {lr:.3g}: below 0, steps go uphill",
                fix="let the schedule end at 0, as in max(0.0, ...), or give it the true number of steps.",
                site=_schedule(now.optimizer, past.setup) or now.site,
                numbers={"lr": lr, "highest_lr": max(before), "update": now.update},
            )
            return


def _schedule(optimizer: int, setup: SetupFacts) -> Site | None:
    """Where the scheduler that drives it was made; None if there are none or several."""
    made = {s.site for s in setup.schedulers if s.optimizer == optimizer}
    return made.pop() if len(made) == 1 else None
