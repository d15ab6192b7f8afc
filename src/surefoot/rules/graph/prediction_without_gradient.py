"""A prediction is scored under `no_grad`, and the score is part of the loss.

## What it does
Fires when a value that has a gradient goes through a module under `no_grad`, and what comes out is added to the loss,
in every step: an actor's action through a critic, a generated image through the network of a perceptual loss.

## Why it matters
The loss moves with the term, but to backward it is a constant: nothing learns from it. Only the rest of the loss, often
a small regulariser, trains the model.

## Common belief
The critic should not be trained here, so it runs under `no_grad`.

## In truth
`no_grad` does more than leave the parameters alone: no gradient flows through the module to its input either. To keep a
module's parameters as they are, leave them to their own optimizer, or set `requires_grad_(False)` on them.

## Bad
```python
import torch

torch.manual_seed(0)
actor = torch.nn.Linear(3, 1)
critic = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
critic.requires_grad_(False)
optimizer = torch.optim.Adam(actor.parameters(), lr=0.01)
for _ in range(16):
    state = torch.randn(32, 3)
    action = actor(state)
    with torch.no_grad():
        value = critic(torch.cat([state, action], 1))
    loss = (0.1 * action.pow(2) - value).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
actor = torch.nn.Linear(3, 1)
critic = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
critic.requires_grad_(False)
optimizer = torch.optim.Adam(actor.parameters(), lr=0.01)
for _ in range(16):
    state = torch.randn(32, 3)
    action = actor(state)
    value = critic(torch.cat([state, action], 1))
    loss = (0.1 * action.pow(2) - value).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Modules whose input has no gradient, as target and teacher networks; results that weigh other parts of the loss or are a
target of one, as in score distillation; values that are detached by `detach()`; results that are only logged.

## How it decides
Values are followed from the parameters to the loss in three windows, only if the graph of the loss shows a sum with an
addend that has no gradient. Between the sum and the loss there may only be sums, means and constant factors: then the
addend has no part in any gradient.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts, probes=("terms",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for term in now.dead_terms:
        if not term.is_of_prediction:
            continue
        values = ", ".join(f"{value:.3g}" for value in term.values)
        yield Evidence(
            message=(
                "a value that has a gradient goes through a module under no_grad() here, and the result is added to "
                f"the loss (on average {values} in {len(term.values)} steps): that part trains nothing"
            ),
            fix="run the module with gradients on; freeze its parameters with requires_grad_(False) if they must stay.",
            site=term.site or now.site,
            numbers={"steps": len(term.values)},
        )
