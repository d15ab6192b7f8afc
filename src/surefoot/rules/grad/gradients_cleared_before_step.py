"""Gradients are cleared between backward and step, so the step has nothing to use.

## What it does
Fires when gradients arrived for an optimizer's parameters, all of them were cleared, and then the optimizer stepped
without them, twice in a row or at regular intervals.

## Why it matters
The update sees no gradient at all: the weights never learn, or drift by momentum and weight decay alone. The loss is
computed and printed as if training went on. The right order is clear, backward, step; or backward, step, clear.

## Common belief
The order is forward, backward, zero, step: gradients are cleared after they have been computed.

## In truth
The step reads what backward wrote. After clearing in between there is nothing to read: clear before the backward or
after the step.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.zero_grad()
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
A bad batch dropped on purpose now and then; gradients cleared on part of the parameters while others train; a
discriminator cleared before its own backward; SAM, which clears and computes anew.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import isfinite

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import discarded


def _starved(step: StepFacts) -> bool:
    has_any = any(g.present and (g.sources or g.by_hand) for g in step.gradients)
    lost = discarded(step)
    on_purpose = any(b.value is not None and not isfinite(b.value) for b in lost)
    return not step.skipped and not has_any and bool(lost) and not on_purpose


def _recurs(now: StepFacts, past: History) -> bool:
    """Twice in a row, or three times equally far apart: once may be a batch dropped on purpose."""
    at = [now.update, *(step.update for step in past.of(now.optimizer) if _starved(step))]
    gaps = [later - earlier for later, earlier in pairwise(at)]
    return 1 in gaps or (len(gaps) > 1 and gaps[0] == gaps[1])


@rule("error", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if not _starved(now) or not _recurs(now, past):
        return
    lost = discarded(now)
    clear = next((c for c in now.clears if any(c.at == g.cleared_by for g in now.gradients)), None)
    num_params = sum(g.num_params for g in now.gradients if g.discarded)
    call = "zero_grad() was called" if clear is not None else "they were cleared"
    yield Evidence(
        message=(
            f"gradients of {num_params} parameters arrived from backward() at line "
            f"{lost[-1].site.line if lost[-1].site else '?'}, then {call}, and step() ran without them"
        ),
        fix="move the clearing: right before backward(), or right after step().",
        site=clear.site if clear is not None and clear.site is not None else now.site,
        numbers={"params": num_params, "backwards_lost": len(lost)},
    )
