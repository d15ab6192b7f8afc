"""A step trains a model that is in eval mode.

## What it does
Fires when everything an optimizer updates lies in models that were in eval mode at the backward, and these hold dropout
or batch-norm: after earlier steps in train mode, or from the first step on.

## Why it matters
In eval mode dropout is off and batch-norm uses, and no longer updates, its running statistics: the model trains
without its regularisation, on statistics that grow stale. Usually `model.eval()` was called for validation and
`model.train()` was forgotten, so that all but the first epoch is affected. Nothing crashes.

## Common belief
`model.eval()` holds for the evaluation, then training goes on as before.

## In truth
It holds until `model.train()` is called. After the first validation everything trains without dropout, on batch-norm
statistics that no longer move.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.train()
for epoch in range(3):
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(64, 4)
        print(epoch, torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(64, 4)
        print(epoch, torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item())
```

## When it stays silent
A part in eval mode inside a model in train mode (frozen batch-norm, a frozen backbone), a head put back into train
mode, models without dropout and batch-norm, teachers and target nets, which no optimizer holds, and a model that was
in eval mode from its first step and has frozen parameters (a feature extractor under a trained head).
"""

from collections.abc import Iterator

from surefoot.facts import EvalModeFacts, StepFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=StepFacts, probes=("mode",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    off = now.mode.in_eval if now.mode is not None else None
    if off is None or not now.window or now.skipped:
        return
    if not off.num_steps_in_train and off.num_frozen:
        return
    where = f"eval() was called at {off.site}" if off.site is not None else "eval() was called"
    since = (
        f"; {off.num_steps_in_train} earlier step{'s' if off.num_steps_in_train > 1 else ''} ran in train mode"
        if off.num_steps_in_train
        else " before the first step"
    )
    yield Evidence(
        message=f"this step trains {' and '.join(off.models)} in eval mode, with {_parts(off)} off: {where}{since}",
        fix="call model.train() before the training loop of every epoch, after any evaluation.",
        site=now.site,
        numbers={
            "dropout_layers": off.num_dropout,
            "batchnorm_layers": off.num_batchnorm,
            "steps_in_train_mode": off.num_steps_in_train,
            "eval_called_at": str(off.site or ""),
        },
    )


def _parts(off: EvalModeFacts) -> str:
    parts = []
    if off.num_dropout:
        parts.append(f"{off.num_dropout} dropout layer{'s' * (off.num_dropout > 1)}")
    if off.num_batchnorm:
        parts.append(f"the batch statistics of {off.num_batchnorm} batch-norm layer{'s' * (off.num_batchnorm > 1)}")
    if off.functional_dropout:
        parts.append("functional dropout")
    return " and ".join(parts)
