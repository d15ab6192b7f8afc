"""Gradients are clipped after every micro-batch of a window.

## What it does
Fires when a step uses the gradients of several backwards from one line, and the running sum was clipped after each.

## Why it matters
The limit is meant for the gradient of the whole step. When the running sum is clipped, the first micro-batches are cut
again and again while the last one enters whole: micro-batches get unequal weights, and the step no longer has the limit
that was asked for.

## Common belief
Clipping more often is the same protection, only stricter.

## In truth
A norm limit is not additive. Clipping the running sum after each micro-batch shrinks the early ones again and again;
the direction of the sum changes, not only its length.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    optimizer.zero_grad()
    for _ in range(4):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss / 4).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    optimizer.zero_grad()
    for _ in range(4):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss / 4).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
```

## When it stays silent
`max_norm=inf` (which only measures), backwards of several different losses, gradients cleared or taken away after each
clip (per-sample clipping).
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.clip.limit import limiting, name_of


@rule("warning", on=StepFacts, probes=("clip",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    window = now.window
    if len(window) < 2 or len({b.site for b in window}) > 1:
        return
    if any(b.inside_step is not None or b.retain_graph for b in window):  # closures; several losses of one forward
        return
    ordinals = [b.ordinal for b in window]
    clips = [c for c in limiting(now) if c.num_fresh and c.sources and c.at > window[0].at]
    after = {max(c.sources) for c in clips}  # the micro-batches after which something was clipped
    if len(after) < 2 or not after >= set(ordinals[:-1]):
        return
    last = clips[-1]
    yield Evidence(
        message=(
            f"{name_of(last)} ran {len(clips)} times in a window of {len(window)} micro-batches: the running sum of "
            f"gradients was limited to {last.max_norm:g} after each"
        ),
        fix="clip once per step, after the window's last backward().",
        site=last.site,
        numbers={"clips": len(clips), "micro_batches": len(window), "max_norm": last.max_norm},
    )
