"""Weights are loaded, and then initialised at random before training begins.

## What it does
Fires at the first step of a program that has loaded weights into a model and initialised every one of its matrices anew
since, by `apply`, `reset_parameters` or functions of `torch.nn.init`.

## Why it matters
The pretrained weights are gone. The program runs as before and starts from random weights: it trains longer and ends
worse, and whoever compares it with training from scratch finds that pretraining does not help.

## Common belief
What `load_state_dict` has put into a model stays there.

## In truth
It stays until something else is written there. A model that takes a loaded backbone and ends its `__init__` with
`self.apply(init_weights)` initialises the backbone, too.

## Bad
```python
import torch

def init_weights(module):
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.xavier_uniform_(module.weight)

torch.manual_seed(0)
pretrained = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)).state_dict()
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
model.load_state_dict(pretrained)
model.apply(init_weights)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x).backward()
    optimizer.step()
```

## Good
```python
import torch

def init_weights(module):
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.xavier_uniform_(module.weight)

torch.manual_seed(0)
pretrained = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)).state_dict()
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
model.apply(init_weights)
model.load_state_dict(pretrained)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x).backward()
    optimizer.step()
```

## When it stays silent
Any matrix that was loaded is left, as when a head is replaced; noise is added or weights are scaled; weights are loaded
again after the initialisation; a model that was trained before it was loaded and reset, as between the folds of a
cross-validation; weights that are written by hand.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=SetupFacts, probes=("saved",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for found in now.overwritten:
        loaded = f" at line {found.loaded.line}" if found.loaded is not None else ""
        yield Evidence(
            message=(
                f"the weights that were loaded into {found.model}{loaded} are gone: all {found.num_matrices} weight "
                f"matrices were initialised again before the first step"
            ),
            fix="initialise first and load afterwards, or initialise only the parts that are not loaded.",
            site=found.reset or found.loaded,
            numbers={"matrices": found.num_matrices},
        )
