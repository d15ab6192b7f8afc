"""Loaded weights are overwritten by a random initialisation before training begins.

## What it does
Fires at the first step of a program that loaded weights into a model and then reinitialised every one of its matrices
with `apply`, `reset_parameters` or functions of `torch.nn.init`.

## Why it matters
The pretrained weights are gone. The program runs but starts from random weights: it trains longer and ends worse, and a
comparison with training from scratch suggests that pretraining does not help.

## Common belief
Whatever `load_state_dict` puts into a model stays there.

## In truth
It stays until something overwrites it. A model that receives a loaded backbone and ends its `__init__` with
`self.apply(init_weights)` reinitialises the backbone too.

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
Some loaded matrix survives, as when only a head is replaced; noise is added or weights are scaled; weights are loaded
again after the initialisation; the model was trained before it was loaded and reset, as between the folds of a
cross-validation; the program writes the weights by hand.
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
                f"matrices were reinitialised before the first step"
            ),
            fix="initialise first and load afterwards, or initialise only the parts that are not loaded.",
            site=found.reset or found.loaded,
            numbers={"matrices": found.num_matrices},
        )
