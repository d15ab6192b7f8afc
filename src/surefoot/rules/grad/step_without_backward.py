"""A step runs although no gradient has arrived since the previous one.

## What it does
Fires when an optimizer steps a second time with gradients it has already used, or keeps stepping with no gradient.

## Why it matters
A second step on the same gradient doubles the rate and moves momentum and Adam's averages twice. A step with no
gradient does nothing, while the loop looks alive.

## Common belief
An extra `optimizer.step()` without a new gradient does nothing.

## In truth
With a gradient left in place it takes the same step again and moves momentum and averages with it. Only with `None`
everywhere does it do nothing.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Closures (L-BFGS), optimizers that call another one (SAM), gradients written by hand, two optimizers that share
parameters, one empty step before a schedule, steps left empty because a bad batch was skipped, optimizers of other
packages that need no gradient.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import arrived

EMPTY_STEPS = 3  # empty steps in a row: fewer may be skipped batches or a dummy step


def _is_empty(step: StepFacts) -> bool:
    return not arrived(step) and not any(g.present for g in step.gradients)


def _is_builtin(past: History, optimizer: int) -> bool:
    return any(o.id == optimizer and o.builtin for o in past.setup.optimizers)


@rule("error", on=StepFacts, follows=("optimizer-holds-stale-parameters",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.inside_step is not None or now.closure or now.skipped or now.inside_backward or arrived(now):
        return
    reused = [g for g in now.gradients if g.present and g.used_by]
    if reused and not now.backwards:
        num = sum(g.num_params for g in reused)
        used_at = max(g.used_by[-1] for g in reused)
        yield Evidence(
            message=f"{num} parameters step again with the gradients of step {used_at}: no backward() ran in between",
            fix="remove the extra step(), or give it a backward() of its own.",
            site=now.site,
            numbers={"params": num, "used_at_step": used_at},
        )
        return
    if now.backwards or not _is_empty(now) or not _is_builtin(past, now.optimizer):
        return
    recent = [step for step, _ in zip(past.of(now.optimizer), range(EMPTY_STEPS - 1), strict=False)]
    if len(recent) == EMPTY_STEPS - 1 and all(_is_empty(s) and not s.backwards and s.repeats == 0 for s in recent):
        yield Evidence(
            message=f"{EMPTY_STEPS} steps in a row had no gradient: backward() was never called",
            fix="call loss.backward() before step().",
            site=now.site,
            numbers={"empty_steps": EMPTY_STEPS},
        )
