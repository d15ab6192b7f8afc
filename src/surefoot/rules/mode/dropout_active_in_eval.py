"""Dropout stays active in eval mode.

## What it does
Fires when a model in eval mode drops activations because its dropout is out of the switch's reach: `F.dropout(x)`
without `training=self.training`, attention called with a `dropout_p` that does not depend on the mode, or a dropout
layer that is created in `forward` or kept in a plain list.

## Why it matters
Predictions of the trained model stay random and are worse than they need to be: scores, early stopping and every later
use of the model suffer. `model.eval()` promises the opposite, so nobody suspects it.

## Common belief
`model.eval()` switches dropout off.

## In truth
It sets a flag on registered modules. `F.dropout(x)` defaults to `training=True` and ignores the flag, and layers in a
plain list or created in `forward` never get it.

## Bad
```python
import torch
from torch.nn import functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 16)
        self.second = torch.nn.Linear(16, 1)

    def forward(self, x):
        return self.second(F.dropout(self.first(x).relu(), 0.1))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(64, 4)
        print(epoch, F.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## Good
```python
import torch
from torch.nn import functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 16)
        self.second = torch.nn.Linear(16, 1)

    def forward(self, x):
        return self.second(F.dropout(self.first(x).relu(), 0.1, training=self.training))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(64, 4)
        print(epoch, F.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## When it stays silent
MC-dropout: `training=True` written out, registered layers that were put into train mode, or one input given again and
again to sample from.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=(StepFacts, EndFacts), probes=("mode",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for run in now.evaluations:
        if run.in_train or run.num_repeated or not run.is_trained:
            continue
        for site in run.dropout_in_eval:
            yield Evidence(
                message=(
                    f"dropout drew in {run.num_forwards} forwards of {run.model} in eval mode: the switch does not "
                    "reach it"
                ),
                fix="pass training=self.training, or use an nn.Dropout layer made in __init__.",
                site=site,
                numbers={"forwards": run.num_forwards},
            )
