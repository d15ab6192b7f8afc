"""The learning-rate schedule advances before the optimizer has stepped.

## What it does
Fires when the first `scheduler.step()` comes before the first `optimizer.step()` and the same line goes on advancing
the schedule.

## Why it matters
The schedule's first rate is never used and every later one comes a step or an epoch too early: a warm-up loses its
gentle start, milestones cut the rate before the epoch that was meant, a cosine ends before the training does.

## Common belief
`scheduler.step()` at the top of the loop sets the rate for the step that follows.

## In truth
That was so before PyTorch 1.1. A scheduler sets the first rate when it is made; advanced before the first update, it
skips that one, and all others come early.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(4):
    scheduler.step()
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(4):
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
    scheduler.step()
```

## When it stays silent
The first steps were skipped by a GradScaler; a resumed run, or one that runs the schedule forward in a loop of its
own before training; `scheduler.step(epoch)` with the epoch given; `ReduceLROnPlateau`, which a metric drives; a second
optimizer that joins in later.

## How it decides
One advance before any step of any optimizer, then at least two steps until the next advance from the same line, or a
step between each of its first three advances.

## References
`torch.optim`, "How to adjust learning rate": since PyTorch 1.1 the scheduler is called after the optimizer's update.
"""

from collections.abc import Iterator

from surefoot.facts import ScheduleFacts, StepFacts
from surefoot.rules import Evidence, History, rule


def _leads(schedule: ScheduleFacts) -> bool:
    """Whether its line runs before the step's in every round. Micro-batches that each advance it are another matter."""
    match schedule.opening:
        case (0, second) if second >= 2:
            return True
        case (0, second, third):
            return 0 < second < third
        case _:
            return False


@rule("warning", on=StepFacts, probes=("schedule",), follows=("schedule-counts-micro-batches",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules:
        if schedule.resumed or schedule.explicit or schedule.made.builtin == "ReduceLROnPlateau":
            continue
        if not schedule.before_all_steps or not _leads(schedule):
            continue
        yield Evidence(
            message=(
                f"{schedule.made.kind} was advanced before the optimizer's first step: "
                "its first learning rate was never used and all others come one advance too early"
            ),
            fix="call scheduler.step() after optimizer.step(); for a schedule in epochs, at the end of the epoch.",
            site=schedule.site,
            numbers={"steps_before_first_advance": 0, "steps_before_second_advance": schedule.opening[1]},
        )
