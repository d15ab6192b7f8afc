"""A schedule counted in epochs is advanced after every batch.

## What it does
Fires when a `StepLR`, `MultiStepLR` or `ExponentialLR` is advanced inside the batch loop and its rate dies far too
early: 1000 times smaller within one epoch, before half of it or of the run is over, or a decay that fits the number of
epochs is used up by batches. Schedules whose settings can not be read (`LambdaLR`, `MultiplicativeLR`, chained ones)
are judged by their course: 1000 times smaller before half of a run of several epochs, and as much again after it. A
`ReduceLROnPlateau` that gets the loss of every batch is judged by the first of these.

## Why it matters
With n batches an epoch, the rate falls n times too fast. After a fraction of the run it is too small to change the
weights, and the loss freezes at a value that looks like convergence.

## Common belief
`scheduler.step()` always belongs right after `optimizer.step()`.

## In truth
Its unit is the call. `StepLR(step_size=30)` means thirty epochs in most recipes; called after each batch, it takes
thirty batches.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
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
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
for epoch in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
    scheduler.step()
```

## When it stays silent
Milestones and step sizes given in iterations; a decay that, counted in batches, still leaves a rate that trains; a
schedule that every micro-batch advances, which `schedule-counts-micro-batches` reports; lambdas that come to a floor or
to zero, and those in loops without a `DataLoader`.

## How it decides
An epoch is a pass over a DataLoader or, without one, a round of the loop around the one that advances the schedule.
A step size or milestones that are multiples of the epoch's length count batches on purpose. At the end of the run a
schedule fits epochs when it would have cut the rate at least once, but not 1000 times, had each epoch advanced it once;
or never, because the run has fewer epochs than its step size, while batches have cut the rate 10,000 times.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ScheduleFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.sched.schedule_counts_micro_batches import counts_micro_batches

READABLE = ("StepLR", "MultiStepLR", "ExponentialLR")
OPAQUE = ("LambdaLR", "MultiplicativeLR", "ChainedScheduler", "SequentialLR")
PLATEAU = "ReduceLROnPlateau"  # its patience counts epochs
DEAD = 999.9  # times: a rate that much smaller hardly moves a weight; schedules that are meant rarely go further
SURELY_DEAD = 10_000.0  # where even decays less frequent than twice an epoch are beyond any intended schedule
EVERY_BATCH = 0.8  # share of the advances inside epochs: the rest may be a last call after an epoch


def _milestones(schedule: ScheduleFacts) -> list[float]:
    return [value for name, value in schedule.made.settings if name == "milestone"]


def _is_per_batch(schedule: ScheduleFacts) -> bool:
    often = schedule.most_in_epoch >= 2 and schedule.in_epochs >= EVERY_BATCH * schedule.count
    if schedule.explicit or counts_micro_batches(schedule):
        return False
    return often and schedule.count >= EVERY_BATCH * schedule.updates


def _counts_batches(schedule: ScheduleFacts) -> bool:
    length = schedule.epoch_length or schedule.most_in_epoch
    numbers = _milestones(schedule) or [schedule.made.setting("step_size")]
    return all(number and number % length == 0 for number in numbers)


def _cut_in_epochs(schedule: ScheduleFacts) -> float:
    """How much smaller the rate would be if each epoch had advanced it once."""
    gamma, epochs = schedule.made.setting("gamma"), schedule.epochs
    match schedule.made.builtin:
        case "StepLR":
            num_cuts = epochs // max(int(schedule.made.setting("step_size")), 1)
        case "MultiStepLR":
            num_cuts = sum(milestone <= epochs for milestone in _milestones(schedule))
        case _:
            num_cuts = epochs
    return gamma**-num_cuts if 0 < gamma < 1 else 1.0


def _died_early(schedule: ScheduleFacts) -> bool:
    if schedule.cut_at and schedule.cut_at <= schedule.count / 2:
        return True
    length = schedule.epoch_length or schedule.most_in_epoch
    several_per_epoch = schedule.made.setting("step_size", 1.0) <= length / 2
    return schedule.cut >= (DEAD if several_per_epoch else SURELY_DEAD)


def _used_up(schedule: ScheduleFacts) -> bool:
    """All milestones fit the epochs, but were passed inside the first one."""
    last = max(_milestones(schedule), default=0.0)
    length = schedule.epoch_length or schedule.most_in_epoch
    return 0 < last <= schedule.epochs and last < length and schedule.count >= 3 * last and schedule.cut > 1


def _fits_epochs(schedule: ScheduleFacts) -> bool:
    if schedule.epochs < 2 or _counts_batches(schedule):
        return False
    if schedule.made.builtin == "MultiStepLR" and _used_up(schedule):
        return True
    if _cut_in_epochs(schedule) == 1.0:  # the run is shorter than its first stretch
        return schedule.cut >= SURELY_DEAD and 0 < schedule.cut_at <= schedule.count / 2
    return _cut_in_epochs(schedule) <= DEAD and _died_early(schedule)


def _vanishes(schedule: ScheduleFacts) -> bool:
    """Whether a rate that was dead before half of the run went on falling just as fast. A floor or a 0 would not."""
    is_early = 0 < schedule.cut_at <= schedule.count / 2
    return schedule.epochs >= 2 and is_early and all(schedule.lrs) and schedule.cut >= DEAD * DEAD


def _dies_in_an_epoch(schedule: ScheduleFacts) -> bool:
    """Whether one epoch made the rate 1000 times smaller, early in it or early in the run."""
    if not schedule.cut_in_epoch_at:
        return False
    early_in_run = schedule.epochs >= 2 and schedule.cut_at <= schedule.count / 2
    return early_in_run or schedule.cut_in_epoch_at <= (schedule.epoch_length or 0) / 2


@rule("warning", on=(StepFacts, EndFacts), probes=("epoch", "schedule"))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules:
        if schedule.made.builtin not in (*READABLE, *OPAQUE, PLATEAU) or not _is_per_batch(schedule):
            continue
        at_end = isinstance(now, EndFacts)
        if schedule.made.builtin in OPAQUE:
            is_too_fast = at_end and _vanishes(schedule)
        elif schedule.made.builtin == PLATEAU:
            is_too_fast = _dies_in_an_epoch(schedule)
        else:
            is_too_fast = _dies_in_an_epoch(schedule) or (at_end and _fits_epochs(schedule))
        if not is_too_fast:
            continue
        yield Evidence(
            message=(
                f"{schedule.made.kind} is advanced after every batch ({schedule.most_in_epoch} times in one epoch): "
                f"after {schedule.count} advances the learning rate is {schedule.cut:.3g} times smaller"
            ),
            fix="call scheduler.step() once per epoch, after the batch loop, or count its settings in batches.",
            site=schedule.site,
            numbers={
                "advances": schedule.count,
                "advances_in_an_epoch": schedule.most_in_epoch,
                "cut": schedule.cut,
            }
            | ({"cut_in_epochs": _cut_in_epochs(schedule)} if schedule.made.builtin in READABLE else {}),
        )
