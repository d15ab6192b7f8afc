"""The gradient has almost vanished by the time it reaches the first layers.

## What it does
Fires when the gradients of the first third of the layers, each relative to its weights, stay four orders of magnitude
under those of the last third, and their weights move a thousand times less.

## Why it matters
The first layers stay random, and the last ones learn from noise. Typical causes are deep stacks of sigmoids and initial
weights that are too small.

## Common belief
If the last layers learn, the gradient gets through.

## In truth
The last layers are the first to get it. Each layer multiplies the gradient on its way back; a few dozen factors below
one leave nothing for the first layers.

## Bad
```python
import torch

torch.manual_seed(0)
layers = [part for _ in range(12) for part in (torch.nn.Linear(16, 16), torch.nn.Sigmoid())]
model = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(48):
    x = torch.randn(32, 16)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
layers = [part for _ in range(12) for part in (torch.nn.Linear(16, 16), torch.nn.ReLU())]
for layer in layers[::2]:
    torch.nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
model = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(48):
    x = torch.randn(32, 16)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Optimizers that divide by the size of the gradient, as Adam does, as long as that moves the first layers; branches
that begin at zero; biases; tables of which a batch uses some rows; runs whose last layers have no gradient left
either, because they have converged; fewer than four layers; gradients that are spread over ranks.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from surefoot.facts import ParameterSignals, SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, layers

WARM_UP = 32  # sampled steps
LATELY = 8  # sampled steps, in all of which it must be so
FEWEST_LAYERS = 4
FAINT = 1e-4  # relative gradient of the first layers, as a share of the last ones'
STILL = 1e-3  # the same of their updates
CONVERGED = 0.01  # share of the last layers' first gradients under which there is nothing left to learn


def _parts(step: SignalFacts) -> tuple[Sequence[ParameterSignals], Sequence[ParameterSignals]]:
    all_layers = layers(step)
    third = len(all_layers) // 3 or 1
    return all_layers[:third], all_layers[-third:]


def _gradients(params: Sequence[ParameterSignals]) -> list[float]:
    return [g for p in params if (g := p.relative_gradient) is not None]


def _is_faint(step: SignalFacts) -> bool:
    if len(layers(step)) < FEWEST_LAYERS:
        return False
    early, late = _parts(step)
    faint, strong = _gradients(early), _gradients(late)
    if len(faint) < len(early) or len(strong) < len(late):  # some weights are zero
        return False
    moves = max(p.update_ratio or 0.0 for p in early), median(p.update_ratio or 0.0 for p in late)
    return max(faint) < FAINT * median(strong) and moves[0] < STILL * moves[1]


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if now.is_sharded or not _is_faint(now):
        return
    course = Course(now, past)
    if len(course) < WARM_UP or not all(_is_faint(step) for step in course.last(LATELY)):
        return
    early, late = _parts(now)
    at_first = [g for step in course.first() for g in _gradients(_parts(step)[1])]
    strong = median(_gradients(late))
    if not at_first or strong < CONVERGED * median(at_first):
        return
    faintest = min(early, key=lambda p: p.relative_gradient or 0.0)
    faint = faintest.relative_gradient or 0.0
    yield Evidence(
        message=f"the gradient of {faintest.name} is {faint:.1e} of its weights, that of {late[-1].name} and its "
        f"neighbours {strong:.1e}: {strong / faint if faint else float('inf'):.0e} times as much; it hardly moves "
        f"({faintest.update_ratio or 0.0:.0e} of its size a step)",
        fix="use ReLU-like activations with their own initialisation, normalisation layers or residual connections; "
        "gated units in recurrent networks.",
        site=now.site,
        numbers={
            "parameter": faintest.name,
            "relative_gradient": faint,
            "last_layers": strong,
            "update_ratio": faintest.update_ratio,
        },
    )
