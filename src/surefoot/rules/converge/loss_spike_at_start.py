"""The loss jumps in the first steps.

## What it does
Fires when one of the first updates raises the loss to many times its first value, right after updates that moved the
weights by a large part of their size, and the loss is still far above its first value some steps later.

## Why it matters
The first gradients are the largest, and the optimizer does not know their scale yet. Such a start ruins the
initialisation, and often the run.

## Common belief
A jump in the first steps does no harm, because the model recovers.

## In truth
The loss may recover, but the balance between layers that the initialisation set up may not, and units can die in one
step. A warm-up costs only a few short steps.

## Bad
```python
import torch

torch.manual_seed(0)
layers = [torch.nn.Linear(8, 64), torch.nn.LeakyReLU(), torch.nn.Linear(64, 64), torch.nn.LeakyReLU()]
model = torch.nn.Sequential(*layers, torch.nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
for i in range(24):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
layers = [torch.nn.Linear(8, 64), torch.nn.LeakyReLU(), torch.nn.Linear(64, 64), torch.nn.LeakyReLU()]
model = torch.nn.Sequential(*layers, torch.nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for i in range(24):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Losses that can be negative or start near zero; jumps without large updates before them, which come from the data;
programs with several optimizers.
"""

from collections.abc import Iterator

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, middle_loss, update_ratio

EARLY = 16  # updates in which it must jump
LATER = 4  # sampled steps after the jump
TIMES = 20.0  # the first loss
STILL = 3.0
LARGE = 0.2  # of the weights, in one update


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if not LATER < now.update <= EARLY + LATER or past.num_sampled_optimizers > 1:
        return
    course = Course(now, past)
    first = course.steps[0]
    if first.update != 1 or first.loss is None or first.loss <= 0 or len(course) <= LATER:
        return
    early = [step for step in course.before(LATER) if step.loss is not None and step.update <= EARLY]
    highest = max(early, key=lambda step: step.loss or 0.0, default=first)
    lately = middle_loss(course.last(LATER))
    if highest.loss is None or highest.loss < TIMES * first.loss or lately is None or lately < STILL * first.loss:
        return
    moves = [update_ratio(step) or 0.0 for step in course.steps if step.update < highest.update]
    if not moves or max(moves) < LARGE:
        return
    yield Evidence(
        message=f"the loss jumped from {first.loss:.3g} to {highest.loss:.3g} at update {highest.update}, after an "
        f"update that moved the weights by {max(moves):.0%} of their size; it is {lately:.3g} now",
        fix="warm the learning rate up, lower its peak"
        + (f" of {max(now.lrs):g}" if now.lrs else "")
        + ", or clip gradients.",
        site=now.site,
        numbers={
            "first": first.loss,
            "highest": highest.loss,
            "update": highest.update,
            "moved": max(moves),
            "lrs": list(now.lrs),
        },
    )
