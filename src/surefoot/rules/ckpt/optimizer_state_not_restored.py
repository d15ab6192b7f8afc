"""A training checkpoint holds optimizer state, but only its weights were loaded.

## What it does
Fires at the first step of an optimizer whose parameters were all loaded from a file that also holds the state of such
an optimizer, which was not loaded.

## Why it matters
Momentum and Adam's second moments start at zero: the first steps after a resume can be many times larger than the last
ones before it, the loss jumps, and recent progress is partly undone.

## Common belief
A model is its weights: loading them continues the training.

## In truth
Loading weights continues the model, not the training. Momentum and Adam's averages are in the optimizer; without them
each of the first steps follows a single batch at full length.

## Bad
```python
import io
import torch

def build():
    model = torch.nn.Linear(4, 1)
    return model, torch.optim.Adam(model.parameters(), lr=0.01)

def train(model, optimizer):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()

torch.manual_seed(0)
model, optimizer = build()
train(model, optimizer)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)

file.seek(0)
checkpoint = torch.load(file)
model, optimizer = build()
model.load_state_dict(checkpoint["model"])
train(model, optimizer)
```

## Good
```python
import io
import torch

def build():
    model = torch.nn.Linear(4, 1)
    return model, torch.optim.Adam(model.parameters(), lr=0.01)

def train(model, optimizer):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()

torch.manual_seed(0)
model, optimizer = build()
train(model, optimizer)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)

file.seek(0)
checkpoint = torch.load(file)
model, optimizer = build()
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
train(model, optimizer)
```

## When it stays silent
The file holds no optimizer state, or only settings; the optimizer trains other parameters than the saved one (a new
head, a part of the model), or has another kind, other settings or another rate, as for fine-tuning; it has a state
already, as when the best weights are put back in the middle of a run.

## How it decides
The tensors given to `load_state_dict` are those that `torch.load` returned. The saved groups must have as many
parameters, of the same shapes, the same settings, and the same rate or initial rate as those of the optimizer.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts, UnrestoredFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts, probes=("saved",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    found = now.unrestored
    if found is None or not (found.same_params and found.same_settings and found.same_rate):
        return
    made = next((o.site for o in past.setup.optimizers if o.id == now.optimizer), None)
    taken = found.taken is not None and made is not None
    yield Evidence(
        message=(
            f"the weights were loaded from {found.file}, which also holds this optimizer's state for "
            f"{found.num_states} parameters, but the optimizer takes its first step without any{_elsewhere(found)}"
        ),
        fix=(
            "make the optimizer once, before its state is loaded."
            if taken
            else "call optimizer.load_state_dict() with the checkpoint's optimizer state before training goes on."
        ),
        site=made if taken else found.site,
        numbers={"file": found.file, "states": found.num_states},
    )


def _elsewhere(found: UnrestoredFacts) -> str:
    return "" if found.taken is None else f"; another optimizer has taken that state at line {found.taken.line}"
