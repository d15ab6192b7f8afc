"""A resumed run restores the optimizer, but its learning-rate schedule starts over.

## What it does
Fires when the state of an optimizer with a schedule was loaded from a file and its new scheduler begins at 0, although
the file shows that the old one had advanced.

## Why it matters
The learning rate differs from that of an uninterrupted run: warm-up repeats, milestones come too late, a cosine does
not reach its end. Nothing fails, and the resumed run ends worse than an uninterrupted one.

## Common belief
The learning rate is restored with the optimizer, so the schedule goes on from there.

## In truth
The optimizer remembers the rate, not the position on the curve. That position is in `scheduler.state_dict()`, or is
passed as `last_epoch` when the scheduler is created.

## Bad
```python
import io
import torch

def build():
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[4, 30])

def train(model, optimizer, scheduler, steps):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()

torch.manual_seed(0)
parts = build()
train(*parts, steps=10)
file = io.BytesIO()
torch.save([part.state_dict() for part in parts], file)

file.seek(0)
states = torch.load(file)
model, optimizer, scheduler = build()
model.load_state_dict(states[0])
optimizer.load_state_dict(states[1])
train(model, optimizer, scheduler, steps=30)
```

## Good
```python
import io
import torch

def build():
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[4, 30])

def train(model, optimizer, scheduler, steps):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()

torch.manual_seed(0)
parts = build()
train(*parts, steps=10)
file = io.BytesIO()
torch.save([part.state_dict() for part in parts], file)

file.seek(0)
states = torch.load(file)
model, optimizer, scheduler = build()
model.load_state_dict(states[0])
optimizer.load_state_dict(states[1])
scheduler.load_state_dict(states[2])
train(model, optimizer, scheduler, steps=30)
```

## When it stays silent
Only weights were loaded; the schedule was loaded, made with `last_epoch`, set to its place or run forward; the program
changed the rate or the initial rate after loading; schedules that do not depend on where they stand (exponential decay,
plateaus, a constant rate) or that repeat (cyclic, warm restarts); a rate that is at least 1.2 times the loaded one,
which `learning-rate-jumped-after-resume` reports.

## How it decides
The file holds the state of a schedule that had advanced, which no scheduler took.
"""

from collections.abc import Iterator

from surefoot.facts import ResumeFacts, ScheduleFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.ckpt.learning_rate_jumped_after_resume import JUMP
from surefoot.rules.ckpt.resumed import jump, keeps_initial_rate

PLACELESS = frozenset((
    "ExponentialLR", "MultiplicativeLR", "ConstantLR", "ReduceLROnPlateau", "CyclicLR", "CosineAnnealingWarmRestarts",
    "SWALR",
))  # fmt: skip


@rule("warning", on=StepFacts, probes=("saved", "schedule"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    resume = now.resume
    if resume is None or not resume.file or len(now.lrs) != len(resume.lrs) or not keeps_initial_rate(resume):
        return
    if any(schedule.resumed for schedule in now.schedules) or jump(resume, now.lrs)[0] >= JUMP:
        return
    for schedule in now.schedules:
        proof = _proof(schedule, resume) if _begins_anew(schedule, resume) else ""
        if proof:
            yield _evidence(schedule, resume, proof)
            return


def _begins_anew(schedule: ScheduleFacts, resume: ResumeFacts) -> bool:
    """Whether it stood at 0 when the state was loaded, or was made later, and is advanced along with training."""
    if schedule.explicit or schedule.made.kind in PLACELESS or schedule.made.builtin in PLACELESS:
        return False
    if schedule.count == 0:
        return schedule.position == 0
    in_step = schedule.position == schedule.count and bool(schedule.opening)
    return in_step and schedule.opening[0] > resume.at_update


def _proof(schedule: ScheduleFacts, resume: ResumeFacts) -> str:
    """What shows that the saved schedule had been further."""
    if schedule.count and resume.position:
        repeats = schedule.made.setting("step_size") if schedule.made.builtin == "StepLR" else 0
        if not repeats or resume.position % repeats:
            return f"the schedule in {resume.file} had advanced {_times(resume.position)}, and was not loaded"
    return ""


def _times(num: int) -> str:
    return "once" if num == 1 else f"{num} times"


def _evidence(schedule: ScheduleFacts, resume: ResumeFacts, proof: str) -> Evidence:
    return Evidence(
        message=f"{schedule.made.kind} starts from its beginning after the optimizer was resumed: {proof}",
        fix="save scheduler.state_dict() in the checkpoint, and load it after the optimizer's.",
        site=schedule.made.site or resume.site,
        numbers={"checkpoint_position": resume.position, "checkpoint_lr": resume.lrs[0]},
    )
