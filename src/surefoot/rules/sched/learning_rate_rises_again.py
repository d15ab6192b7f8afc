"""A cosine schedule has passed its minimum and rises again.

## What it does
Fires when a `CosineAnnealingLR` is advanced well beyond `T_max`, so that its learning rate rises.

## Why it matters
`CosineAnnealingLR` is half a period of a cosine: after `T_max` advances it goes up again, back to the full rate. The
end of the training then runs at rising rates and undoes the annealing.

## Common belief
A cosine schedule ends at its minimum and stays there.

## In truth
`CosineAnnealingLR` is a cosine of the number of calls. After `T_max` calls it goes up again, as a cosine does, to the
full rate.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
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
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
for _ in range(20):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
```

## When it stays silent
`CosineAnnealingWarmRestarts`, `CyclicLR` and other schedules that are meant to rise; an advance or two too many; a
schedule that every micro-batch advances, which `schedule-counts-micro-batches` reports.

## How it decides
The schedule's own counter is beyond `T_max` by a tenth of it and by two advances at least.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ScheduleFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.sched.schedule_counts_micro_batches import counts_micro_batches

TOLERANCE = 0.1  # of T_max: there the cosine has climbed back to 2 % of its height, which does no harm
FEW = 2  # advances: an off-by-one is no rise


def _is_per_batch(schedule: ScheduleFacts) -> bool:
    """Whether the minimum was passed because epochs were meant and batches advance it."""
    length = schedule.epoch_length or 0
    t_max = schedule.made.setting("T_max") or schedule.made.length or 0
    return schedule.most_in_epoch >= 2 and t_max < length


@rule("warning", on=(StepFacts, EndFacts), probes=("schedule",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules:
        t_max = schedule.position - schedule.past_minimum
        if schedule.past_minimum < max(FEW, TOLERANCE * t_max) or counts_micro_batches(schedule):
            continue
        per_batch = _is_per_batch(schedule)
        made = schedule.made
        rate = max(schedule.lrs, default=float("nan"))
        yield Evidence(
            message=(
                f"{made.kind} reached its minimum after {t_max} advances and has been advanced {schedule.past_minimum} "
                f"times since: the learning rate has climbed back to {rate:.3g}"
            ),
            fix=(
                "call scheduler.step() once per epoch, after the batch loop, or count T_max in batches."
                if per_batch
                else "set T_max to the number of times that scheduler.step() is called in the whole run."
            ),
            site=schedule.site,
            numbers={"T_max": t_max, "advances_since": schedule.past_minimum, "lr": rate},
        )
