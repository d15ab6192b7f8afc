"""A parameter stopped moving while the others move.

## What it does
Notes when a parameter that the first updates moved has not changed at all in recent updates, although it is trainable
and others move.

## Why it matters
This can be intended, as when a training phase leaves a part alone. Otherwise something has cut the parameter off: a
branch no longer taken, a gradient of zero, a value stuck at a clamp.

## Common belief
As long as the loss falls, everything is learning.

## In truth
The loss falls as long as anything learns. It does not show a part that stopped moving, because the rest compensates.

## Bad
```python
import torch

torch.manual_seed(0)
body, gain = torch.nn.Linear(8, 4), torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([*body.parameters(), gain], lr=0.05)
for i in range(80):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(body(x) * (gain if i < 20 else gain.detach() + 0 * gain), x[:, :4])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
body, gain = torch.nn.Linear(8, 4), torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([*body.parameters(), gain], lr=0.05)
for i in range(80):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(body(x) * gain, x[:, :4])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Frozen parameters; parameters of which only some elements are looked at; runs in which hardly anything moves.
"""

from collections.abc import Iterator

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import AT_FIRST, Course

LATELY = 32  # sampled steps, in all of which it stood still
READ_IN_FULL = 16384  # elements; of more only some are looked at


def _still(step: SignalFacts) -> set[str]:
    return {p.name for p in step.params if p.update_norm == 0.0 and p.num_elements <= READ_IN_FULL and p.norm > 0}


def _moving(step: SignalFacts) -> set[str]:
    return {p.name for p in step.params if p.update_norm > 0}


@rule("note", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    still = _still(now)
    if not still or len(_moving(now)) <= len(still):
        return
    course = Course(now, past)
    if len(course) < LATELY + AT_FIRST:
        return
    for step in course.last(LATELY):
        still &= _still(step)
    once = {name for step in course.first() for name in _moving(step)}
    found = [p.name for p in now.params if p.name in still & once]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield Evidence(
            message=f"{found[0]}{more} moved at the start and not at all in the last {LATELY} sampled updates, while "
            f"{len(_moving(now))} others did",
            fix="freeze it with requires_grad_(False) if this is intended; otherwise find what cuts off its gradient.",
            site=now.site,
            numbers={"parameters": found[:10], "step": now.index},
        )
