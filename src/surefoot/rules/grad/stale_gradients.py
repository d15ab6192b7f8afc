"""A step uses gradients that an earlier step already used.

## What it does
Fires when an optimizer steps with a gradient that one of its earlier steps already used and that was not cleared in
between, alone or summed with new ones.

## Why it matters
PyTorch adds every backward to `.grad`. Without clearing, each update follows the sum of all gradients so far: old
directions never fade, the effective step grows, and training becomes slow, noisy or divergent. Nothing crashes.

## Common belief
Each `backward()` replaces the gradients of the one before.

## In truth
It adds to them, on purpose, so that several losses or micro-batches can share a step. What is not cleared once per
update is used again by all later ones.

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
Gradients cleared in any spelling, written by hand, shared by two optimizers in one round, used by the inner step of
an optimizer that wraps another (SAM), and steps that run a closure (L-BFGS). Frozen parameters have a rule of their own
(`frozen-parameter-moves`).
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


def _harm(now: StepFacts) -> dict[str, float]:
    harm = now.staleness
    return {} if harm is None else {"length_ratio": round(harm.length, 3), "cosine": round(harm.cosine, 3)}


@rule("error", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.inside_step is not None or not now.backwards:
        return
    stale = [g for g in now.gradients if g.present and g.used_by and not g.by_hand and g.requires_grad]
    if not stale:
        return
    num_stale = sum(g.num_params for g in stale)
    num_all = sum(g.num_params for g in now.gradients)
    oldest = min(g.used_by[0] for g in stale)
    names = ", ".join([name for g in stale for name in g.params][:3])
    harm = now.staleness
    measured = f"; the gradient used is {harm.length:.2g} times as long as the fresh one" if harm is not None else ""
    yield Evidence(
        message=(
            f"{num_stale} of {num_all} parameters ({names}) step with gradients that step {oldest} already used: "
            f"they were never cleared{measured}"
        ),
        fix="call optimizer.zero_grad() once per step, before backward() or right after step().",
        site=now.site,
        numbers={"stale_params": num_stale, "params": num_all, "first_used_at_step": oldest, **_harm(now)},
    )
