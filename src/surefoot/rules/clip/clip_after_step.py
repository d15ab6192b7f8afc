"""Gradients are clipped after the step that used them.

## What it does
Fires when `clip_grad_norm_` or `clip_grad_value_` runs on gradients that a step has already used, and they are cleared
before a step uses them again.

## Why it matters
The update used the unlimited gradients; limiting them afterwards changes nothing. The program looks protected against
large gradients but is not.

## Common belief
Clipping is part of the update, so it can go anywhere near `optimizer.step()`.

## In truth
Clipping changes `.grad`, and the step reads `.grad`. It only takes effect between the last backward and the step.

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
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
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
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
```

## When it stays silent
`max_norm=inf` (which only measures), gradients that a later step uses again, calls that also cover gradients which no
step has used yet, and loops that clip in time as well.
"""

from collections.abc import Iterator

from surefoot.facts import ClipFacts, OtherStepFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.clip.limit import limiting, name_of


@rule("error", on=StepFacts, probes=("clip",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    clips = limiting(now)
    if any(clip.num_fresh for clip in clips):
        return  # what this step uses is limited; the other call is one too many
    for clip in clips:
        if not clip.used_by or _is_used_again(clip, now):
            continue
        yield Evidence(
            message=(
                f"{name_of(clip)} limits {clip.num_live} gradients to {clip.max_norm:g} after step {clip.used_by[-1]} "
                "used them, and they are cleared before the next step: clipping has no effect"
            ),
            fix="clip after backward() and before step().",
            site=clip.site,
            numbers={"max_norm": clip.max_norm, "used_at_step": clip.used_by[-1], "gradients": clip.num_live},
        )


def _is_used_again(clip: ClipFacts, now: StepFacts) -> bool:
    """By this step, or by another optimizer that holds the same parameters."""
    sources = {source for g in now.gradients if g.present for source in g.sources}
    return not sources.isdisjoint(clip.sources) or any(
        isinstance(e, OtherStepFacts) and e.at > clip.at and e.optimizer in clip.optimizers for e in now.events
    )
