"""Most of a sigmoid or tanh layer's outputs are in its flat part.

## What it does
Fires when nearly all outputs of a sigmoid or tanh that feeds another layer lie within 1 % of the ends of its range,
sampled batch after sampled batch, and the layer before it, compared with the other layers, gets a small gradient for
its weights and is moved little by the updates.

## Why it matters
Where the curve is flat its slope is nearly zero, and so is every gradient that passes through it: the layers before
it stop learning. Inputs or weights that are too large do this.

## Common belief
A sigmoid or tanh keeps activations in a safe range.

## In truth
It does, by being flat outside of it. Where it is flat its slope is nearly zero, and so is the gradient of every layer
before it.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
)
torch.nn.init.normal_(model[0].weight, std=60.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(40):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(40):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Gates, whose output is multiplied with something before a layer takes it; outputs of the model; a layer before it that
still gets a gradient like the others', or is moved like them, as by Adam, which scales small gradients up.
"""

from collections.abc import Iterator
from statistics import median

from surefoot.facts import ActivationFacts, SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, layers

WARM_UP = 16  # sampled steps
LATELY = 8  # sampled steps, in all of which it must be so
FLAT = 0.85  # of the outputs
FAINT = 0.1  # relative gradient and update of the layer before, as a share of the median of the others


def _weak(step: SignalFacts, function: ActivationFacts) -> tuple[float, float] | None:
    """Relative gradients of the layer before and of the others, if it gets and moves little next to the others."""
    before = f"{function.fed_by}.weight"
    own = next((p for p in step.matrices if p.name == before), None)  # even if most of its gradient is zero
    others = [p for p in layers(step) if p.name != before]
    gradients = [value for p in others if (value := p.relative_gradient) is not None]
    if own is None or own.relative_gradient is None or not gradients:
        return None
    moves = median(p.update_ratio or 0.0 for p in others)
    if own.relative_gradient >= FAINT * median(gradients) or (own.update_ratio or 0.0) >= FAINT * moves:
        return None
    return own.relative_gradient, median(gradients)


def _saturated(step: SignalFacts, module: str) -> ActivationFacts | None:
    for a in step.activations:
        if a.module == module and (a.flat or 0.0) >= FLAT and a.is_passed_on and a.fed_by and _weak(step, a):
            return a
    return None


@rule("warning", on=SignalFacts, probes=("signals", "activations"))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    modules = [a.module for a in now.activations if a.flat is not None and _saturated(now, a.module)]
    if not modules:
        return
    course = Course(now, past)
    for module in modules:
        if len(course) < WARM_UP or not all(_saturated(step, module) for step in course.last(LATELY)):
            continue
        found = _saturated(now, module)
        weak = _weak(now, found) if found is not None else None
        if found is None or found.flat is None or weak is None:
            continue
        yield Evidence(
            message=f"{found.flat:.0%} of the outputs of {module} ({found.kind}) lie in its flat part; "
            f"{found.fed_by} before it gets a gradient of {weak[0]:.1e} of its weights, other layers {weak[1]:.1e}",
            fix="normalise the inputs, start with smaller weights, or put a normalisation layer before it.",
            site=now.site,
            numbers={"module": module, "flat": found.flat, "relative_gradient": weak[0], "others": weak[1]},
        )
        return
