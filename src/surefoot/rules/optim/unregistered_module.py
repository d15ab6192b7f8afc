"""A module with trainable parameters is not registered, so no optimizer got it.

## What it does
Fires when parameters that get gradients lie in a module that another one keeps in a plain Python list, tuple or dict,
where `parameters()` does not find them, or in a plain tensor, and no optimizer holds them; and when a `forward` makes a
new layer each time it runs.

## Why it matters
`parameters()`, `to()`, `train()` and `state_dict()` see only what is registered. The hidden layers run in forward and
stay at their initial values; they are missing from checkpoints too.

## Common belief
Layers in a Python list are layers of the model.

## In truth
The model uses them without knowing them: `parameters()`, `to()`, `state_dict()` and `train()` find only modules
assigned as attributes or kept in a `ModuleList`.

## Bad
```python
import torch

torch.manual_seed(0)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.blocks = [torch.nn.Linear(8, 8) for _ in range(2)]
        self.last = torch.nn.Linear(8, 1)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x).relu()
        return self.last(x)

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
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

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(2)])
        self.last = torch.nn.Linear(8, 1)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x).relu()
        return self.last(x)

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
A teacher hidden on purpose: used under `no_grad`, frozen, in eval mode, loaded or copied from another model, or moved
by the program itself; hidden modules that an optimizer was given by hand.
"""

from collections.abc import Iterator

from surefoot.facts import ParameterFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.optim.missing import counted, get_gradients, missing

STEPS = 2  # by then a program that updates hidden parameters itself has shown it


def _is_meant(p: ParameterFacts) -> bool:
    return p.eval_mode or p.loaded or p.copied or p.trained


@rule("error", on=StepFacts, probes=("setup",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.update < STEPS or now.skipped:
        return
    yield from _passing(past)
    if get_gradients(now):
        yield from _hidden(now, past)


def _passing(past: History) -> Iterator[Evidence]:
    for made in past.setup.passing:
        if made.num_backwards >= STEPS:
            yield Evidence(
                message=f"forward() makes a new {made.kind} each time it runs; its parameters are never trained",
                fix="make the layer once in __init__ and keep it as an attribute of the module.",
                site=made.site,
                numbers={"seen": made.num_backwards},
            )


def _hidden(now: StepFacts, past: History) -> Iterator[Evidence]:
    setup = past.setup
    by_container: dict[str, list[ParameterFacts]] = {}
    for p in missing(setup):
        if p.hidden_in and not _is_meant(p):
            by_container.setdefault(p.hidden_in, []).append(p)
    optimizer = next((o for o in setup.optimizers if o.id == now.optimizer), None)
    for container, params in by_container.items():
        kind = params[0].hidden_as
        if kind == "Tensor":
            what, them = f"{container}, a plain tensor, gets", "it"
            fix = "make it an nn.Parameter."
        else:
            what, them = f"{counted(len(params), 'parameter')} in {container}, a plain {kind}, get", "them"
            fix = "keep layers in nn.ModuleList or nn.ModuleDict, and parameters in nn.ParameterList."
        yield Evidence(
            message=f"{what} gradients, but parameters() does not find {them} and no optimizer has {them}",
            fix=fix,
            site=params[0].hidden_at or (optimizer.site if optimizer else None) or now.site,
            numbers={"params": len(params), "container": container},
        )
