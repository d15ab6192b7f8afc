"""A scheduler sets the learning rate of an optimizer that never steps.

## What it does
Fires when a schedule is advanced, the optimizer it was made for never steps, and another optimizer without a schedule
does the training.

## Why it matters
The optimizer that trains keeps its first learning rate for ever. It often happens when an optimizer is made again,
after a model is rebuilt, moved or unfrozen, and the scheduler still holds the old one.

## Common belief
The scheduler adjusts the rate of the training.

## In truth
It adjusts the one optimizer it was made with. If that was replaced by another, the schedule runs for an optimizer that
no longer steps.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for _ in range(20):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
for _ in range(20):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
```

## When it stays silent
Both optimizers have schedules, or both step, alternately or in phases; the optimizer that steps shares its parameter
groups with the scheduler's (SAM and other wrappers); runs that did not come to their end.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts
from surefoot.rules import Evidence, History, rule

ENOUGH_ADVANCES = 2  # one may be a way to set a first rate


@rule("error", on=EndFacts, probes=("schedule",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    if now.reason != "finished":
        return
    driven = {optimizer for schedule in now.schedules for optimizer in schedule.drives}
    undriven = [(optimizer, steps) for optimizer, steps in now.updates if steps and optimizer not in driven]
    for schedule in now.schedules:
        if schedule.count < ENOUGH_ADVANCES or schedule.updates or not schedule.drives or not undriven:
            continue
        kinds = {optimizer.id: optimizer.kind for optimizer in past.setup.optimizers}
        other, steps = max(undriven, key=lambda item: item[1])
        yield Evidence(
            message=(
                f"{schedule.made.kind} was advanced {schedule.count} times, but its optimizer "
                f"({kinds.get(schedule.made.optimizer, 'optimizer')} {schedule.made.optimizer}) never stepped: "
                f"{kinds.get(other, 'optimizer')} {other} did, {steps} times, without a schedule"
            ),
            fix="make the scheduler after the optimizer that trains, and give it that one.",
            site=schedule.made.site or schedule.site,
            numbers={"advances": schedule.count, "other_steps": steps},
        )
