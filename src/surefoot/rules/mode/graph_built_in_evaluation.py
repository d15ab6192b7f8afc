"""An evaluation builds graphs that nothing uses.

## What it does
Notes forwards of a model in eval mode that record a graph though no backward follows.

## Why it matters
The graph keeps every activation of the batch alive until the output goes, which may double the memory an evaluation
needs and slows it down; where outputs are collected over a whole pass, memory grows with every batch.

## Common belief
`model.eval()` saves memory, because no gradients are computed.

## In truth
It only changes what dropout and batch-norm do. Graphs are built as before; `torch.no_grad()` or
`torch.inference_mode()` prevents that.

## Bad
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
Inputs that require grad (attribution, adversarial examples), models that no optimizer trains, and models without
dropout and batch-norm, which do not show their mode.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule


@rule("note", on=(StepFacts, EndFacts), probes=("mode",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for run in now.evaluations:
        if not run.with_gradient or run.in_train or run.wants_input_gradient or not run.is_trained:
            continue
        yield Evidence(
            message=f"{run.num_forwards} forwards of {run.model} in eval mode recorded graphs; no backward followed",
            fix="evaluate under torch.no_grad() or torch.inference_mode().",
            site=run.site,
            numbers={"forwards": run.num_forwards},
        )
