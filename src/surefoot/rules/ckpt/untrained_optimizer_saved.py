"""The saved optimizer is not the one that trains the model.

## What it does
Fires when an optimizer without state was saved and never stepped in the whole run, while another of the same class
trained its parameters; and when what is saved of an optimizer is still empty although it has stepped, because its
`state_dict()` was taken before.

## Why it matters
The checkpoint holds no momentum and no averages, though it looks complete and loads without an error. A run resumed
from it starts with an empty optimizer, and its first steps undo part of what was learned.

## Common belief
`optimizer.state_dict()` holds the state of the training, no matter which optimizer it is called on.

## In truth
Each optimizer has its own state, filled by its own steps. An optimizer over the same parameters that never steps stays
empty.

## Bad
```python
import io
import torch

def fit(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
fit(model)
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, io.BytesIO())
```

## Good
```python
import io
import torch

def fit(model, optimizer):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
fit(model, optimizer)
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, io.BytesIO())
```

## When it stays silent
Optimizers that keep no state, such as SGD without momentum; an optimizer that steps later; checkpoints from before the
first step; a file that holds the state of another optimizer, too; an optimizer of another class, as for a later phase;
one that holds parameters which the other does not train.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, Site, UntrainedSavedFacts
from surefoot.rules import Evidence, History, rule


def _made(site: Site | None) -> str:
    return f" made at line {site.line}" if site is not None else ""


@rule("warning", on=EndFacts, probes=("saved",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for found in now.untrained_saved:
        if found.is_old:
            yield _old(found)
            continue
        yield Evidence(
            message=(
                f"the {found.kind}{_made(found.made)} is saved without a state, because it never stepped: another "
                f"{found.kind}{_made(found.trainer_made)} has trained its {found.num_params} parameters for "
                f"{found.num_steps} steps"
            ),
            fix="save the optimizer that trains, or pass this one to the code that does.",
            site=found.saved,
            numbers={"parameters": found.num_params, "steps": found.num_steps},
        )


def _old(found: UntrainedSavedFacts) -> Evidence:
    return Evidence(
        message=(
            f"the state of the {found.kind}{_made(found.made)} is empty in what is saved, though it has taken "
            f"{found.num_steps} steps: as state_dict() gave it before the first of them"
        ),
        fix="call state_dict() of the optimizer whenever the checkpoint is saved.",
        site=found.saved,
        numbers={"parameters": found.num_params, "steps": found.num_steps},
    )
