"""A scheduler drives a different optimizer from the one that trains.

## What it does
Fires when a schedule is advanced, the optimizer it was made for never steps, and another optimizer without a schedule
does the training. As a warning, when the schedule is advanced on after the last step of its optimizer, and another one
has taken over its parameters without a schedule. Also when two equal schedules drive one optimizer, while a second
optimizer that trains has none.

## Why it matters
The optimizer that trains keeps its first learning rate for the whole run. This often happens when an optimizer is
recreated after a model is rebuilt, moved or unfrozen, and the scheduler still holds the old one.

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
Both optimizers have schedules, or both step, alternately or in phases that end with their schedules; the optimizer that
steps shares its parameter groups with the scheduler's (SAM and other wrappers); different schedules on one optimizer,
such as a warm-up beside a decay; runs that did not come to their end.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ScheduleFacts
from surefoot.rules import Evidence, History, rule

ENOUGH_ADVANCES = 2  # one may be a way to set a first rate
LEFT_BEHIND = 3  # advances after the last step of the optimizer: one or two may be the end of a phase


@rule("error", on=EndFacts, probes=("schedule",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    driven = {optimizer for schedule in now.schedules for optimizer in schedule.drives}
    undriven = [(optimizer, steps) for optimizer, steps in now.updates if steps and optimizer not in driven]
    if now.reason != "finished" or not undriven:
        return
    names = {o.id: f"{o.kind} {o.id}" for o in past.setup.optimizers}
    number, steps = max(undriven, key=lambda item: item[1])
    other = names.get(number, f"optimizer {number}")
    for i, schedule in enumerate(now.schedules):
        if schedule.count < ENOUGH_ADVANCES or not schedule.drives:
            continue
        made, own = schedule.made, names.get(schedule.made.optimizer, f"optimizer {schedule.made.optimizer}")
        site = made.site or schedule.site
        is_left_behind = schedule.since_step >= LEFT_BEHIND and _hold_the_same(past, made.optimizer, number)
        if not schedule.updates:
            message = (
                f"{made.kind} was advanced {schedule.count} times, but its optimizer ({own}) never stepped: "
                f"{other} did, {steps} times, without a schedule"
            )
        elif is_left_behind:
            message = (
                f"{made.kind} was advanced {schedule.since_step} times after the last step of its optimizer ({own}): "
                f"{other}, which holds parameters of that one, has no schedule and took {steps} steps"
            )
            site = schedule.site or made.site
        elif any(_is_doubled(schedule, earlier) for earlier in now.schedules[:i]):
            message = (
                f"two equal {made.kind} drive the same optimizer ({own}), each advanced {schedule.count} times, while "
                f"{other} steps {steps} times without a schedule"
            )
        else:
            continue
        yield Evidence(
            message=message,
            fix="make the scheduler after the optimizer that trains, and give it that one.",
            site=site,
            numbers={"advances": schedule.count, "other_steps": steps},
            level="warning" if schedule.updates and is_left_behind else None,
        )


def _hold_the_same(past: History, one: int, other: int) -> bool:
    return any(one in param.optimizers and other in param.optimizers for param in past.setup.parameters)


def _is_doubled(one: ScheduleFacts, two: ScheduleFacts) -> bool:
    """The same schedule with the same settings, twice: their cuts multiply, which is never intended."""
    same = (one.drives, one.count, one.made.builtin, one.made.settings)
    return bool(one.made.settings) and same == (two.drives, two.count, two.made.builtin, two.made.settings)
