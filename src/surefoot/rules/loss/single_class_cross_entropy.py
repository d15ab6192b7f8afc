"""Cross-entropy over a single class is always zero.

## What it does
Fires when a cross-entropy keeps getting an input with one class only.

## Why it matters
The softmax of one score is 1 whatever the score: the loss is constantly zero and so are all gradients. A binary
classifier with one output needs `binary_cross_entropy_with_logits`.

## Common belief
A loss of zero means that the model is perfect.

## In truth
With one output, cross-entropy is zero before, during and after training, and so is its gradient.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    y = (x[:, :1] > 0).float()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    y = (x[:, :1] > 0).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
A line that sees other numbers of classes as well: choices among candidates, of which there is sometimes only one.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import earlier, losses

BATCHES = 3  # a choice among one candidate happens, three times in a row from the start hardly


@rule("error", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    found = [part for _, part in losses(now) if part.kind == "cross-entropy" and part.num_classes == 1]
    for part in found[:1]:
        same_line = [p for _, p in losses(now) if p.site == part.site] + list(earlier(past, part))
        if len(same_line) < BATCHES or any(p.num_classes != 1 for p in same_line):
            continue
        yield Evidence(
            message="cross-entropy gets one class: its softmax is always 1, the loss always 0 and so is every gradient",
            fix="use binary_cross_entropy_with_logits for one output, or give the model one output per class.",
            site=part.site,
            numbers={"classes": 1, "batches": len(same_line)},
        )
