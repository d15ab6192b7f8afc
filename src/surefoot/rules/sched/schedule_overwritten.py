"""Something else sets the learning rate between the steps of a schedule.

## What it does
Notes a schedule that finds another rate than it had set at most of its advances, up to the last one, though no other
scheduler drives the optimizer.

## Why it matters
Schedules that compute the next rate from the present one (`StepLR`, `ExponentialLR`, cosine) carry the foreign value
on; those that compute it from the start wipe it out. Either way the rate is neither what the schedule nor what the
other code says.

## Common belief
Setting `param_groups[0]["lr"]` by hand overrides the schedule.

## In truth
Until its next step. Some schedules then carry the new value on as if it were theirs, others wipe it out, as they
compute the rate from the present one or from the first.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
for i in range(12):
    for group in optimizer.param_groups:
        group["lr"] = 0.05 / (1 + i)
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
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
for i in range(12):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
```

## When it stays silent
A warm-up written by hand that ends before the run does; two schedulers over one optimizer; a rate set now and then.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts
from surefoot.rules import Evidence, History, rule

OFTEN = 4  # advances that found another rate: a resumed run or a manual cut is one or two
MOST = 0.5  # of all advances at which it was looked for


@rule("note", on=EndFacts, probes=("schedule",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for schedule in now.schedules:
        often = schedule.overwritten >= max(OFTEN, MOST * schedule.looked)
        if not often or not schedule.overwritten_last:
            continue
        yield Evidence(
            message=(
                f"{schedule.made.kind} found another learning rate than it had set at {schedule.overwritten} of "
                f"{schedule.looked} advances"
            ),
            fix="let one place set the rate: the schedule, or the code that writes param_groups.",
            site=schedule.site,
            numbers={"overwritten": schedule.overwritten, "looked": schedule.looked, "advances": schedule.count},
        )
