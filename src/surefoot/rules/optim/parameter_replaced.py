"""A parameter was replaced in the middle of training; the optimizer keeps the old one.

## What it does
Fires when a parameter that had been trained was replaced in its module by a new object, by assigning a parameter or
a whole layer, while the optimizer still holds the old one and none holds the new one.

## Why it matters
An optimizer holds tensors, not names. It goes on with a tensor that left the model, and the new one stays at its
initial values for the rest of the run.

## Common belief
Assigning a new layer to the model puts it into training.

## In truth
It only changes the model. The optimizer still holds the tensors of the old layer; the new ones need `add_param_group`
or a new optimizer.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(12):
    if step == 4:
        model[2] = torch.nn.Linear(8, 1)
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(12):
    if step == 4:
        model[2].reset_parameters()
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Parametrizations and weight norm, which keep the object; averaged weights swapped in and out again; a new parameter
that was given to this or to another optimizer, or that is frozen.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.optim.missing import get_gradients, missing, names_of


@rule("error", on=StepFacts, probes=("setup",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if not get_gradients(now):
        return
    new = {p.name: p for p in missing(past.setup)}
    held = [p for p in past.setup.parameters if now.optimizer in p.optimizers and p.reached]
    old = [p for p in held if p.replaced_by in new]
    if not old:
        return
    site = next((p.replaced_at for p in old if p.replaced_at is not None), None)
    optimizer = next(o for o in past.setup.optimizers if o.id == now.optimizer)
    yield Evidence(
        message=(
            f"{names_of(old)} {'was' if len(old) == 1 else 'were'} replaced while training; the {optimizer.kind} "
            f"still holds the old {'tensor' if len(old) == 1 else f'{len(old)} tensors'}"
        ),
        fix="change values in place (copy_, reset_parameters), or give the new parameters to the optimizer.",
        site=site or optimizer.site or now.site,
        numbers={"params": len(old)},
    )
