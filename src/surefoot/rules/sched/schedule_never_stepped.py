"""A learning-rate scheduler is created but never advanced.

## What it does
Fires at the end of a run in which an optimizer stepped through at least one epoch while none of its schedulers was
ever advanced. A call of `step()` in a branch that was never taken counts as none where the branch asks for a moment of
the loop, as in `if i == len(loader)`, and this moment can not come, or the schedule was made for just as many steps or
epochs as the run had.

## Why it matters
The rate stays where the scheduler's constructor left it: no decay at all, or, with a warm-up or a one-cycle schedule,
a fraction of the intended rate for the whole run.

## Common belief
Creating a scheduler with the optimizer is enough: the optimizer asks it for the rate.

## In truth
The scheduler writes to the optimizer only when its `step()` is called. Until then the rate is what its constructor set,
which for a warm-up is a fraction of the intended one.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
for _ in range(12):
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
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
for _ in range(12):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
```

## When it stays silent
Another scheduler of the same optimizer is advanced; the scheduler is part of another one; the run ended inside its
first epoch, crashed, or was stopped; a call that would advance it stands in a branch that was not reached, and that
asks for a setting, a result or a phase of training that was not reached.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ScheduleFacts
from surefoot.rules import Evidence, History, rule

ENOUGH_STEPS = 4  # of the optimizer: fewer are a smoke test


def _has_run_an_epoch(schedule: ScheduleFacts, past: History) -> bool:
    training = [epoch for epoch in past.epochs if epoch.num_steps]
    return any(epoch.complete for epoch in training) or not training


def _was_due(schedule: ScheduleFacts, past: History) -> bool:
    """Whether it should have been advanced. In a branch only if nothing but the moment was missed."""
    if not schedule.in_branch or schedule.unreachable:
        return True
    num_epochs = max((epoch.epoch for epoch in past.epochs if epoch.num_steps and epoch.complete), default=0)
    return schedule.unreached_at is not None and schedule.made.length in {schedule.updates, num_epochs} - {0}


def _branch(schedule: ScheduleFacts) -> str:
    return "" if schedule.unreached_at is None else "; this call stands in a branch that was never taken"


@rule("warning", on=EndFacts, probes=("epoch", "schedule"))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    advanced = {optimizer for s in now.schedules if s.count for optimizer in s.drives}
    for schedule in now.schedules if now.reason == "finished" else ():
        if schedule.count or schedule.updates < ENOUGH_STEPS or not advanced.isdisjoint(schedule.drives):
            continue
        if not _was_due(schedule, past) or not _has_run_an_epoch(schedule, past):
            continue
        rate = schedule.lrs[0] if schedule.lrs else float("nan")
        yield Evidence(
            message=(
                f"{schedule.made.kind} was never advanced in {schedule.updates} optimizer steps: "
                f"the learning rate stayed at {rate:.3g}{_branch(schedule)}"
            ),
            fix="call scheduler.step() after optimizer.step(), or once per epoch if its settings count epochs.",
            site=schedule.unreached_at or schedule.made.site,
            numbers={"steps": schedule.updates, "lr": rate},
        )
