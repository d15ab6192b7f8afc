"""A schedule advances after every micro-batch of an accumulation window.

## What it does
Fires when the gradients of several micro-batches are summed into each optimizer step and each of them advances the
schedule.

## Why it matters
With k micro-batches a window, the schedule runs k times too fast: warm-up and decay are over after a fraction of the
steps, and a cosine rises again while training goes on.

## Common belief
A schedule counts batches.

## In truth
It counts calls, and its length is usually given in updates. With accumulation an update takes k batches; advanced on
each of them, the schedule ends k times too early.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)
for i in range(32):
    x = torch.randn(8, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
    scheduler.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)
for i in range(32):
    x = torch.randn(8, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
```

## When it stays silent
The schedule's length is given in micro-batches and fits the run; `scheduler.step(epoch)` with the epoch given; a metric
that decides (`ReduceLROnPlateau`); a library that advances the schedule once per process; a second optimizer that steps
only every few batches of the first one.

## How it decides
At least three steps, without exception, used the gradients of k backwards and saw k advances since the step before. A
schedule with a known length must also have passed its end, unless it is a warm-up. One that the program computes itself
is judged at the end of the run: a rate that came down to a twentieth of its peak just there was counted right.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ScheduleFacts, StepFacts
from surefoot.rules import Evidence, History, rule

ENOUGH_WINDOWS = 3  # one may be the first of the run, which is one advance short, another the last of an epoch
LAST_PART = 0.75  # of the run, in which a cosine that fits it comes down to a twentieth
PAST_END = 1.25  # times its length: a schedule that was counted in micro-batches ends with the run


def counts_micro_batches(schedule: ScheduleFacts) -> bool:
    """Whether each micro-batch of each window advances it."""
    if schedule.explicit or schedule.by_library or schedule.made.builtin == "ReduceLROnPlateau":
        return False
    return schedule.micro_batch_windows >= ENOUGH_WINDOWS and not schedule.other_windows


def _may_fit(schedule: ScheduleFacts, at_end: bool) -> bool:
    length = schedule.made.length
    if length is None and schedule.made.builtin in ("", "LambdaLR", "MultiplicativeLR"):
        return not at_end or schedule.low_at >= LAST_PART * schedule.count
    if length is None or schedule.made.builtin in ("LinearLR", "ConstantLR"):  # warm-ups end early by design
        return False
    return schedule.position < PAST_END * length


@rule("warning", on=(StepFacts, EndFacts), probes=("schedule",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules:
        if not counts_micro_batches(schedule) or _may_fit(schedule, isinstance(now, EndFacts)):
            continue
        yield Evidence(
            message=(
                f"{schedule.made.kind} advances {schedule.per_window} times per optimizer step, once for every "
                f"micro-batch: {schedule.count} advances in {schedule.updates} steps"
            ),
            fix="call scheduler.step() right after optimizer.step(), only when the optimizer steps.",
            site=schedule.site,
            numbers={"per_step": schedule.per_window, "advances": schedule.count, "steps": schedule.updates},
        )
