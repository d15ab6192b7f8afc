"""Many units of a layer output zero for every input.

## What it does
Fires when most of a layer's units were never above zero in any row of many sampled batches one after the
other, and their weights got a gradient of exactly zero each time: what a ReLU behind them cuts off.

## Why it matters
A unit whose input to the ReLU is negative for every sample outputs zero and gets no gradient, so it can't recover. The
layer is smaller than it looks.

## Common belief
A ReLU unit that outputs zero is idle and comes back when needed.

## In truth
If its input is negative for every sample, its gradient is exactly zero for every sample. No gradient of its own can
then bring it back.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
torch.nn.init.constant_(model[0].bias[:28], -20.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(24):
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
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for _ in range(24):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
A part of the units, which any network with ReLUs has: half of them in deep networks with small weights, three quarters
of a wide layer that has little to tell apart; batches of under 16 rows, which all may be negative by chance; the last
layer, whose gradient a loss with a margin may cut off; layers that do not run, such as idle experts.
"""

import math
from collections.abc import Iterator

from surefoot.facts import ActivationFacts, SignalFacts
from surefoot.rules import Evidence, History, rule

SHARE = 0.85  # of a layer's units, and more of a small layer's: wide layers that learn well were seen with 0.74
# Where a layer is given the same for every sample, as deep down with small weights, the signs of its biases are thrown
# like coins: anything beyond three standard deviations above one half is dead for another reason.
COINS = 1.5  # times the root of the number of units
FEWEST_UNITS = 8


def _is_dying(layer: ActivationFacts) -> bool:
    num = layer.num_units
    return num >= FEWEST_UNITS and layer.num_dead >= max(SHARE * num, num / 2 + COINS * math.sqrt(num))


@rule("warning", on=SignalFacts, probes=("signals", "activations"))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    dead = [a for a in now.activations if _is_dying(a) and not a.is_last]
    if not dead:
        return
    worst = max(dead, key=lambda a: a.num_dead / a.num_units)
    yield Evidence(
        message=f"{worst.num_dead} of {worst.num_units} units of {worst.module} ({worst.kind}) were never above zero "
        f"and got no gradient in the last sampled batches of {worst.num_rows} rows",
        fix="look at the bias and the scale of the initial weights, lower the learning rate, or use LeakyReLU or GELU.",
        site=now.site,
        numbers={
            "layers": {a.module: [a.num_dead, a.num_units] for a in dead},
            "step": now.index,
        },
    )
