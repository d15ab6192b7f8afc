"""The run ends before half of the learning-rate schedule.

## What it does
Fires at the end of a run that came to its end by itself, when a schedule with a known length saw under half of its
steps: it was advanced once per epoch though it counts batches, or it was made for a longer run.

## Why it matters
The decay that the schedule exists for never happens, and a warm-up may still be going on: the model is trained at the
wrong rates from the first step to the last, and the low-rate phase in which the loss settles is missing.

## Common belief
A schedule stretches over the training, however long it is.

## In truth
It has the length it was created with. Counted in updates but advanced per epoch, it barely leaves its warm-up.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=4 * len(loader))
for epoch in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
    scheduler.step()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=4 * len(loader))
for epoch in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        scheduler.step()
```

## When it stays silent
Runs that crashed, were interrupted or ended by `--max-steps`; `while` loops and loops that can be left early by `break`
or `return`, unless even all of their rounds would be too few; trainers of libraries, unless the schedule's length is
exactly the number of steps; constant schedules; milestones of which one was reached; schedules whose state a later one
of the same kind and length took over.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ScheduleFacts
from surefoot.rules import Evidence, History, rule

ENOUGH = 0.5  # of the length: a schedule made a little too long is a choice


def _is_unfinished(schedule: ScheduleFacts) -> bool:
    made = schedule.made
    if not made.length or made.builtin == "ConstantLR" or not schedule.count or not schedule.updates:
        return False
    milestones = [value for name, value in made.settings if name == "milestone"]
    return schedule.position < ENOUGH * made.length and not any(m <= schedule.position for m in milestones)


def _counts_steps(schedule: ScheduleFacts) -> bool:
    """Whether its length is the number of steps of the run, though it was advanced far less often."""
    length = schedule.made.length or 0
    return schedule.updates >= 2 * schedule.count and 0.5 <= length / schedule.updates <= 1.5


def _may_have_been_cut_short(schedule: ScheduleFacts) -> bool:
    """Whether an early stop explains it: unless even all rounds of the loops would not have been enough."""
    length = schedule.made.length or 0
    if schedule.explicit:
        return True
    if schedule.by_library:  # a trainer's loops can't be read; then the lengths must agree exactly
        return schedule.count < 2 or abs(length - schedule.updates) > 1
    return schedule.may_stop_early and (schedule.planned is None or schedule.planned >= ENOUGH * length)


def _continues(later: ScheduleFacts, schedule: ScheduleFacts) -> bool:
    """Whether it was loaded where the other stood, as in a program that saves and resumes its own runs."""
    same = (later.made.builtin, later.made.length) == (schedule.made.builtin, schedule.made.length)
    return same and later.resumed and later.position - later.count == schedule.position


@rule("warning", on=EndFacts, probes=("schedule",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules if now.reason == "finished" else ():
        if not _is_unfinished(schedule) or _may_have_been_cut_short(schedule):
            continue
        if any(_continues(later, schedule) for later in now.schedules if later.made.id > schedule.made.id):
            continue
        made, counts_steps = schedule.made, _counts_steps(schedule)
        rate = schedule.lrs[0] if schedule.lrs else float("nan")
        yield Evidence(
            message=(
                f"{made.kind} has {made.length} steps, but the run ended at {schedule.position} of them, after "
                f"{schedule.updates} optimizer steps, with a learning rate of {rate:.3g}"
            ),
            fix=(
                "advance it after every optimizer step, as its length counts."
                if counts_steps
                else "give it the number of times that scheduler.step() will be called."
            ),
            site=schedule.site if counts_steps else made.site or schedule.site,
            numbers={"length": made.length, "position": schedule.position, "steps": schedule.updates},
        )
