"""The logits of a loss come from a ReLU.

## What it does
Fires when the input of cross-entropy or of binary cross-entropy with logits is the output of a ReLU.

## Why it matters
A ReLU leaves no negative scores: a class can only be argued for, never against, a binary prediction never falls below
one half, and scores at zero get no gradient. A model that ends in a ReLU learns slowly and may stop for some classes.

## Common belief
An activation belongs behind every layer, the last one too.

## In truth
Cross-entropy needs scores of both signs. A ReLU cuts the negative ones to zero, where there is no gradient either, and
a probability can't fall below that of a score of zero.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
ReLUs with a layer or a pooling between them and the loss, as in SqueezeNet; leaky and smooth ones.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses


def _is_cut_at_zero(part: LossFacts) -> bool:
    names = [op.name for op in part.fed_by[:2]]
    if part.kind == "cross-entropy":
        return names == ["LogSoftmax", "Relu"]
    return part.kind == "bce-with-logits" and names[:1] == ["Relu"]


@rule("warning", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        if _is_cut_at_zero(part):
            yield Evidence(
                message=f"the scores given to {part.kind} come from a ReLU: none of them can be negative",
                fix="let the model end in its last linear layer, without a ReLU.",
                site=part.site,
                numbers={"kind": part.kind},
            )
