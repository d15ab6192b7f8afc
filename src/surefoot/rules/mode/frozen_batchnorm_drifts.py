"""A frozen batch-norm layer still updates its statistics.

## What it does
Fires when a batch-norm layer whose weight and bias do not require grad, and do not change, keeps moving its running
mean and variance because it is in train mode.

## Why it matters
Freezing parameters does not freeze buffers. Weights learned for the old statistics meet new ones, drawn from small
batches of other data: the frozen part of the network slowly turns into another one, and fine-tuning starts from
features that no longer hold.

## Common belief
`requires_grad=False` freezes a layer.

## In truth
It freezes parameters. Running mean and variance are buffers and move with every forward in train mode; only `eval()` of
that layer stops them.

## Bad
```python
import torch

torch.manual_seed(0)
backbone = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU())
backbone.requires_grad_(False)
model = torch.nn.Sequential(backbone, torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01)
model.train()
for _ in range(12):
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
backbone = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU())
backbone.requires_grad_(False)
model = torch.nn.Sequential(backbone, torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.01)
model.train()
backbone.eval()
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Layers in eval mode or without running statistics, weights that something else moves (momentum encoders, a discriminator
frozen for the generator's turn), and layers without weights.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

FORWARDS = 4  # and as many steps: by then whatever else moves the weights has done so
FORWARDS_WITHOUT_GRADIENT = 8  # a teacher or target net may be updated less often


@rule("warning", on=StepFacts, probes=("mode",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    drift = now.mode.drift if now.mode is not None else None
    if drift is None:
        return
    needed = FORWARDS_WITHOUT_GRADIENT if drift.under_no_grad else FORWARDS
    if drift.num_forwards < needed or drift.num_steps < needed:
        return
    shift = f", by now {drift.shift:.2g} standard deviations" if drift.shift is not None else ""
    others = f" and {drift.num_layers - 1} more" if drift.num_layers > 1 else ""
    yield Evidence(
        message=(
            f"batch-norm {drift.layer}{others} has frozen weights, but {drift.num_forwards} forwards in train mode "
            f"moved its running statistics{shift}"
        ),
        fix="put the frozen part into eval mode after every model.train(): backbone.eval().",
        site=drift.site,
        numbers={"layers": drift.num_layers, "forwards": drift.num_forwards, "shift": drift.shift},
    )
