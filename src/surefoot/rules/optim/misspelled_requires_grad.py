"""An attribute like `require_grad` was set, which does nothing.

## What it does
Fires when a parameter carries a boolean attribute whose name is nearly `requires_grad`, or a module one of that name
or nearly so, and the parameters do not follow it.

## Why it matters
Python lets any attribute be set on a tensor or module. What was meant to be frozen goes on training, what was meant
to train stays frozen.

## Common belief
A misspelled attribute raises an error.

## In truth
Python lets any name be set on a tensor or module. `param.require_grad = False` makes a new attribute that nobody reads;
on a module even the right spelling is just that, `module.requires_grad_(False)` is the call.

## Bad
```python
import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
for p in body.parameters():
    p.require_grad = False
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(head(body(x).relu()), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
for p in body.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(head(body(x).relu()), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
The parameters are as the attribute says; a module class that keeps a setting of that name for itself.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=SetupFacts, probes=("setup",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for found in now.misspellings:
        some = ", ".join(found.names[:3]) + (", …" if found.num > 3 else "")
        owner = "parameter" if found.owner == "parameter" else "module"
        does = "require gradients" if not found.value else "are frozen"
        yield Evidence(
            message=(
                f"{found.attribute} = {found.value} was set on {found.num} {owner}{'s' if found.num > 1 else ''} "
                f"({some}), where it means nothing: they still {does}"
            ),
            fix=(
                f"write p.requires_grad = {found.value} for each parameter."
                if owner == "parameter"
                else f"call module.requires_grad_({found.value})."
            ),
            site=found.site or next((o.site for o in now.optimizers if o.site is not None), None),
            numbers={"attribute": found.attribute, "owners": found.num},
        )
