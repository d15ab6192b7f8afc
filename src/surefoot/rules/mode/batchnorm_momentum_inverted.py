"""Batch-norm forgets nearly all of its running statistics at every batch.

## What it does
Fires when batch-norm layers with a momentum of 0.8 or more, but not 1, have trained and the model is then evaluated by
their running statistics.

## Why it matters
In eval mode the layer normalises by the statistics of the last batch or two, and not by an average over many.
Validation losses jump from one evaluation to the next, and the saved model depends on which batch came last.

## Common belief
A momentum of 0.99 keeps 99 % of the running statistics at every batch.

## In truth
It does in Keras. In PyTorch `momentum` is the share of the new batch: 0.1, the default, keeps 90 %; 0.99 keeps 1 %.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8, momentum=0.99), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    x = torch.randn(64, 4)
    print(torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8, momentum=0.01), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    x = torch.randn(64, 4)
    print(torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## When it stays silent
A momentum of 1, which asks for the last batch on purpose (meta-learning), one that a schedule changes, statistics that
are taken anew before the evaluation (`update_bn`), frozen layers, and models that are never evaluated in eval mode.
"""

from collections.abc import Iterator

from surefoot.facts import SetupFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=SetupFacts, probes=("momentum",))
def check(now: SetupFacts, past: History) -> Iterator[Evidence]:
    found = now.momentum
    if found is None or past.setup.momentum is not None:
        return
    layers = f"batch-norm layer {found.layer}" + (f" and {found.num_layers - 1} more" if found.num_layers > 1 else "")
    share = f"{100 * found.momentum:.4g} %"
    yield Evidence(
        message=(
            f"momentum={found.momentum:g} makes {share} of the running statistics of {layers} those of the last batch "
            f"alone, and the model is evaluated by them"
        ),
        fix=f"momentum is the share of the new batch here: write {1 - found.momentum:.3g}; the default is 0.1.",
        site=found.site,
        numbers={"momentum": found.momentum, "layers": found.num_layers, "batches": found.num_batches},
    )
