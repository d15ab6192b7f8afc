"""The inputs of the first layer have a huge scale.

## What it does
Notes when the inputs of the first layer are in the hundreds or more, and its outputs are similarly large.

## Why it matters
Initial weights and learning rates are made for inputs of size one. Pixels up to 255, prices or time stamps make outputs
and gradients larger by the same factor: training starts with a jump, or needs a rate that is too small for all other
layers.

## Common belief
The network learns the right scale of its inputs by itself.

## In truth
It could, but its initial weights and its learning rate are made for inputs of about one. Gradients of the first layer
grow with the inputs, and one rate has to serve all layers.

## Bad
```python
import torch

torch.manual_seed(0)
layers = [torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.ReLU()]
model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
for i in range(24):
    x = 2000 + 800 * torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1] / 2000)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
layers = [torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.ReLU()]
model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for i in range(24):
    x = 2000 + 800 * torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model((x - 2000) / 800), x[:, :1] / 2000)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Inputs that a normalisation layer takes first; a first layer that has learned to scale them down.
"""

from collections.abc import Iterator

from surefoot.facts import ActivationFacts, SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course

WARM_UP = 8  # sampled steps
HUGE = 100.0
LOUD = 10.0  # spread of the first layer's outputs; normalised inputs give about 0.6


def _first(step: SignalFacts) -> ActivationFacts | None:
    """The first layer, if its inputs are huge."""
    for a in step.activations:
        if a.input_mean is not None and a.input_spread is not None and not a.kind.startswith("BatchNorm"):
            return a if max(abs(a.input_mean), a.input_spread) >= HUGE else None
    return None


@rule("note", on=SignalFacts, probes=("signals", "activations"))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    first = _first(now)
    if first is None or len(course := Course(now, past)) < WARM_UP or not all(_first(s) for s in course.last(WARM_UP)):
        return
    if first.spread < LOUD:
        return
    yield Evidence(
        message=f"{first.module} ({first.kind}) gets inputs of mean {first.input_mean:.3g} and spread "
        f"{first.input_spread:.3g}; its outputs have mean {first.mean:.3g} and spread {first.spread:.3g}",
        fix="subtract the mean and divide by the standard deviation of the training data.",
        site=now.site,
        numbers={"mean": first.input_mean, "spread": first.input_spread, "module": first.module},
    )
