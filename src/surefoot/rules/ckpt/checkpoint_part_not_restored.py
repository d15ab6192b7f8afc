"""A part of the checkpoint was not restored.

## What it does
Fires when a run takes its optimizer and its model from a checkpoint that also holds the state of a further module, such
as an average of the weights or a target network, and that module begins with other values.

## Why it matters
The average begins anew at random weights, and it is what is evaluated and shipped; a target network is that of no step
of the run. The training loss shows nothing of it.

## Common belief
What was saved is back after `torch.load`.

## In truth
`torch.load` returns a dictionary. Each part of it is restored by a `load_state_dict` of its own, and nobody notices one
that is missing.

## Bad
```python
import copy
import io

import torch

def build(seed):
    torch.manual_seed(seed)
    model = torch.nn.Linear(4, 2)
    return model, copy.deepcopy(model), torch.optim.Adam(model.parameters(), lr=0.01)

def train(model, ema, optimizer):
    for _ in range(8):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x[:, :2]).backward()
        optimizer.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.lerp_(p, 0.1)

model, ema, optimizer = build(0)
train(model, ema, optimizer)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "ema": ema.state_dict(), "optimizer": optimizer.state_dict()}, file)
file.seek(0)
model, ema, optimizer = build(1)
checkpoint = torch.load(file)
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
train(model, ema, optimizer)
```

## Good
```python
import copy
import io

import torch

def build(seed):
    torch.manual_seed(seed)
    model = torch.nn.Linear(4, 2)
    return model, copy.deepcopy(model), torch.optim.Adam(model.parameters(), lr=0.01)

def train(model, ema, optimizer):
    for _ in range(8):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x[:, :2]).backward()
        optimizer.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.lerp_(p, 0.1)

model, ema, optimizer = build(0)
train(model, ema, optimizer)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "ema": ema.state_dict(), "optimizer": optimizer.state_dict()}, file)
file.seek(0)
model, ema, optimizer = build(1)
checkpoint = torch.load(file)
model.load_state_dict(checkpoint["model"])
ema.load_state_dict(checkpoint["ema"])
optimizer.load_state_dict(checkpoint["optimizer"])
train(model, ema, optimizer)
```

## When it stays silent
Runs that take the weights alone, as for fine-tuning; modules that were filled in any other way, also from the model;
parts without a module of the same names and shapes; averages that are kept in lists or dictionaries; weights on other
devices than the CPU.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=SetupFacts, probes=("saved",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    for found in now.unrestored_parts:
        yield Evidence(
            message=(
                f"{found.file} also holds {found.part!r}, the state of a {found.model}, and it was not restored: the "
                f"{found.model} of that shape begins with other values, while model and optimizer go on"
            ),
            fix=f"load it, too: load_state_dict(checkpoint[{found.part!r}]).",
            site=found.site,
            numbers={"part": found.part, "parameters": found.num_params},
        )
