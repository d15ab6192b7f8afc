"""After a resume, the learning rate is higher than where the checkpoint left off.

## What it does
Fires when an optimizer's state was loaded and a schedule that starts from its beginning raises the rate to at least 1.2
times the loaded one.

## Why it matters
A newly created schedule that computes its rate from the initial one (`LambdaLR`, the usual way to write warm-up and
cosine) starts at the top. The weights are from late in training: steps that are too large undo what the low rate had
settled, and the annealing starts over.

## Common belief
The learning rate is part of the optimizer's state, so restoring the optimizer restores it.

## In truth
It does, until a newly created scheduler advances and overwrites it with its own first rate. The position in the
schedule is the scheduler's state, which must be saved and loaded too.

## Bad
```python
import io
import torch

def train(model, optimizer, scheduler):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.1 ** (step / 5))
train(model, optimizer, scheduler)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)

file.seek(0)
checkpoint = torch.load(file)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.1 ** (step / 5))
train(model, optimizer, scheduler)
```

## Good
```python
import io
import torch

def train(model, optimizer, scheduler):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.1 ** (step / 5))
train(model, optimizer, scheduler)
file = io.BytesIO()
parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
torch.save({name: part.state_dict() for name, part in parts.items()}, file)

file.seek(0)
checkpoint = torch.load(file)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.1 ** (step / 5))
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
scheduler.load_state_dict(checkpoint["scheduler"])
train(model, optimizer, scheduler)
```

## When it stays silent
The schedule was loaded, began in mid-course (`last_epoch`) or was run forward; the program sets the rate or the initial
rate itself; the rate is lower than the loaded one, as in a new warm-up; restarts in the middle of a run.

## How it decides
The rate of the step is compared with the rate in the loaded state, as long as the schedule has advanced once at most;
the initial rate must be the loaded one.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.ckpt.resumed import is_same, jump, keeps_initial_rate

JUMP = 1.2  # times the loaded rate: schedules rise by less from one advance to the next, but for warm-ups


@rule("warning", on=StepFacts, probes=("saved", "schedule"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    resume = now.resume
    if resume is None or len(now.lrs) != len(resume.lrs) or not keeps_initial_rate(resume):
        return
    ratio, old, new = jump(resume, now.lrs)
    fresh = [s for s in now.schedules if not s.resumed and s.count <= 1 and any(is_same(new, lr) for lr in s.lrs)]
    if ratio < JUMP or not fresh or any(s.resumed for s in now.schedules):
        return
    schedule = fresh[0]
    yield Evidence(
        message=(
            f"the learning rate is {new:.3g} after resuming, {ratio:.3g} times the {old:.3g} that the checkpoint ended "
            f"with: {schedule.made.kind} starts from its beginning"
        ),
        fix="save scheduler.state_dict() in the checkpoint, and load it after the optimizer's.",
        site=schedule.made.site or resume.site,
        numbers={"lr": new, "checkpoint_lr": old, "ratio": ratio},
    )
