"""Clipping sees no gradient.

## What it does
Fires when `clip_grad_norm_` or `clip_grad_value_` runs before the backward of its step, on a parameter iterator that
was already consumed, or, repeatedly, on the parameters of a model that this step does not train.

## Why it matters
Clipping then silently does nothing. The program looks protected against large gradients but is not.

## Common belief
If there were nothing to clip, clipping would raise an error.

## In truth
Without gradients, `clip_grad_norm_` returns 0 and does nothing; at most it warns. A generator such as
`model.parameters()` is empty once it has been consumed.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
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
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
```

## When it stays silent
Clipping part of a model, idle experts and frozen parts included; `max_norm=inf` (which only measures); a step before
which other calls clip the gradients that it uses.
"""

from collections.abc import Iterator

from surefoot.facts import ClipFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.clip.limit import limits, name_of

REPEATS = 2  # earlier calls from this line without a fresh gradient, before it is taken to clip the wrong model


@rule("error", on=StepFacts, probes=("clip",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    clips = [c for c in now.clips if limits(c) and c.inside_step is None]
    if not now.window or any(c.num_fresh and now.optimizer in c.optimizers for c in now.clips):
        return
    for clip in clips:
        if clip.num_fresh:
            continue
        if clip.used_up:
            found = "a parameter iterator that was already consumed", "pass model.parameters() anew in every call."
        elif _is_before_backward(clip, now):
            found = f"{clip.num_params} parameters before backward()", "clip after backward() and before step()."
        elif _is_other_model(clip, now, past):
            found = (
                f"{clip.num_params} parameters of a model that this step does not train",
                ("clip the parameters of the model that the optimizer holds."),
            )
        else:
            continue
        yield Evidence(
            message=f"{name_of(clip)} got {found[0]}: it saw no gradient of this step and does nothing",
            fix=found[1],
            site=clip.site,
            numbers={"params": clip.num_params, "gradients": clip.num_gradients},
        )


def _is_before_backward(clip: ClipFacts, now: StepFacts) -> bool:
    return not clip.num_live and now.optimizer in clip.optimizers and all(b.at > clip.at for b in now.window)


def _is_other_model(clip: ClipFacts, now: StepFacts, past: History) -> bool:
    if clip.num_params == 0 or now.optimizer in (*clip.optimizers, *clip.akin) or clip.at < now.window[-1].at:
        return False
    earlier = [c for step in past.steps for c in step.clips if c.site == clip.site and c.at < clip.at]
    return len({c.at for c in earlier}) >= REPEATS and not any(c.num_fresh for c in earlier)
