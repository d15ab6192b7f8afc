"""An optimizer steps with a learning rate of zero.

## What it does
Fires when all groups of an optimizer have the rate 0 from the first step on, or for a long stretch later: a warm-up
that starts at 0 and is advanced once per epoch, an integer division, a schedule that ended long before the run. The
advice depends on the cause.

## Why it matters
Every gradient is computed and thrown away. The weights do not move; only batch-norm statistics and the clock do.

## Common belief
The rate was set to 0.1, so it is 0.1.

## In truth
A scheduler writes its first rate when it is created. A warm-up factor of 0, or an integer division, makes that 0 before
the first step, and a run with a rate of 0 looks like any other.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * (5 // 10))
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * (5 / 10))
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
The first step of a warm-up, the last steps of a decay to zero. A group at 0 while others train is a note: that is how
some freeze a part.
"""

from collections.abc import Iterator

from surefoot.facts import EpochEdgeFacts, OptimizerFacts, SetupFacts, Site, StepFacts
from surefoot.rules import Evidence, History, Level, rule

FROM_START = 8  # steps: a warm-up that is advanced at every step is at 0 for one
LATER = 20  # steps at the end of a decay, and as many as had a rate before
FOREVER = 100
AT_START = "give the optimizer a rate above 0; let a warm-up start above 0 or advance at every step."


def _stretch(now: StepFacts, past: History) -> list[StepFacts]:
    """The recorded steps with rate 0 in a row, newest first."""
    stretch = [] if any(now.lrs) else [now]
    for step in past.of(now.optimizer):
        if any(step.lrs):
            break
        stretch.append(step)
    return stretch


def _covers_epoch(steps: list[StepFacts]) -> bool:
    """A whole pass over a loader began and ended within these steps, newest first."""
    edges = [e for step in reversed(steps) for e in step.events if isinstance(e, EpochEdgeFacts)]
    started: set[int] = set()
    for edge in edges:
        if edge.edge == "start":
            started.add(edge.loader)
        elif edge.loader in started and edge.complete and edge.num_steps > 1:
            return True
    return False


def _lasts(num_zero: int, now: StepFacts, stretch: list[StepFacts]) -> bool:
    if any(now.lrs):  # the first step after it
        return num_zero == now.update - 1 and _covers_epoch([now, *stretch])
    if num_zero == now.update:  # from the start
        return num_zero >= FROM_START or _covers_epoch(stretch)
    return num_zero >= FOREVER or (num_zero >= LATER and 2 * num_zero >= now.update)


def _culprit(optimizer: OptimizerFacts, setup: SetupFacts) -> Site | None:
    """The scheduler that brought the rate to 0, else where the optimizer was made."""
    scheduled = any(group.initial_lr for group in optimizer.groups)
    made = [s.site for s in setup.schedulers if s.optimizer == optimizer.id and s.site is not None]
    return made[0] if scheduled and made else optimizer.site


@rule(
    "warning",
    on=StepFacts,
    probes=("setup",),
    follows=("schedule-counts-micro-batches", "epoch-schedule-stepped-per-batch"),
)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    stretch = _stretch(now, past) if now.lrs else []
    if not stretch and 0 not in now.lrs:
        return
    optimizer = next((o for o in past.setup.optimizers if o.id == now.optimizer), None)
    site = (None if optimizer is None else _culprit(optimizer, past.setup)) or now.site
    num_zero = len(stretch) + sum(step.repeats for step in stretch[:-1])
    if stretch and _lasts(num_zero, now, stretch):
        message = f"{num_zero} of the {now.update} steps so far, in a row, had a learning rate of 0"
        yield _evidence(message, site, fix=_advice(now, num_zero))
    elif 0 in now.lrs and any(now.lrs) and now.update >= FROM_START:
        yield _evidence(f"{now.lrs.count(0)} of {len(now.lrs)} parameter groups have the rate 0", site, "note")


def _advice(now: StepFacts, num_zero: int) -> str:
    """A rate that was above 0 before has been brought down: by a schedule that ended early, or by the program."""
    num_before = now.update - num_zero
    if any(now.lrs) or not num_before:
        return AT_START
    schedule = next((s for s in now.schedules if s.count), None)
    if schedule is None:
        return f"find what set the rate to 0 after {num_before} steps."
    length = f" ({schedule.made.length} advances)" if schedule.made.length else ""
    return (
        f"make {schedule.made.kind}{length} as long as the run, or end the run with it: it came to 0 within "
        f"{num_before} steps."
    )


def _evidence(message: str, site: Site | None, level: Level | None = None, fix: str = "") -> Evidence:
    return Evidence(message=message, fix=fix or AT_START, site=site, level=level)
