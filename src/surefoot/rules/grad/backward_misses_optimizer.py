"""Backward reaches none of the parameters of the optimizer that then steps.

## What it does
Fires when, step after step, backward reaches parameters of other optimizers or of another model, but never one of the
optimizer that steps.

## Why it matters
The optimizer steps on nothing. Its model stays at its initial weights, while the loop runs without complaint.

## Common belief
`loss.backward()` computes the gradients that the optimizer next to it needs.

## In truth
It computes gradients for the parameters in its own graph. Backward and optimizer do not know each other; their only
link is `.grad`.

## Bad
```python
import torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(4, 3), torch.nn.Linear(3, 4)
other = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
second = torch.optim.SGD(other.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(decoder(encoder(x)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    second.step()
```

## Good
```python
import torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(4, 3), torch.nn.Linear(3, 4)
other = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
second = torch.optim.SGD(other.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(decoder(encoder(x) + other(x)), x)
    optimizer.zero_grad()
    second.zero_grad()
    loss.backward()
    optimizer.step()
    second.step()
```

## When it stays silent
Adversarial inputs, inversion and probing, where no step follows; alternating training; a loss cut off from every
parameter and an optimizer built over an old copy of the model, which have rules of their own.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import misses
from surefoot.rules.optim.optimizer_holds_stale_parameters import holds_stale

STEPS = 3  # alternating phases miss one optimizer for a while, but not from the first step on


@rule("error", on=StepFacts, follows=("parameters-not-in-optimizer", "graph-cut"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.inside_step is not None or now.skipped or now.update < STEPS or not misses(now):
        return
    if not all(misses(step) for step in past.of(now.optimizer)) or holds_stale(now.optimizer, past.setup):
        return
    last = now.backwards[-1]
    num_params = sum(g.num_params for g in now.gradients)
    yield Evidence(
        message=(
            f"in {now.update} steps no backward() reached any of the {num_params} parameters of the optimizer that "
            f"steps at line {now.site.line if now.site else '?'}"
        ),
        fix="check which model the loss is computed from and which parameters the optimizer was given.",
        site=now.site if now.site is not None else last.site,
        numbers={"params": num_params, "steps": now.update, "backward_line": last.site.line if last.site else None},
    )
