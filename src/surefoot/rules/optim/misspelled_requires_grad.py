"""An attribute like `require_grad` was set, which does nothing.

## What it does
Fires when a parameter carries a boolean attribute whose name is nearly `requires_grad`, or a module one of that name
or nearly so, and the parameters do not follow it.

## Why it matters
Python accepts any attribute on a tensor or module. What should be frozen keeps training, and what should train stays
frozen.

## Common belief
A misspelled attribute raises an error.

## In truth
`param.require_grad = False` creates a new attribute that nothing reads. On a module even the correct spelling does only
that; the call is `module.requires_grad_(False)`.

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
                f"({some}), where it has no effect: they still {does}"
            ),
            fix=(
                f"write p.requires_grad = {found.value} for each parameter."
                if owner == "parameter"
                else f"call module.requires_grad_({found.value})."
            ),
            site=found.site or next((o.site for o in now.optimizers if o.site is not None), None),
            numbers={"attribute": found.attribute, "owners": found.num},
        )
