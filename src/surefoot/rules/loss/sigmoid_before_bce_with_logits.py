"""Binary cross-entropy with logits is given probabilities.

## What it does
Fires when the input of `binary_cross_entropy_with_logits` comes from a sigmoid or a softmax.

## Why it matters
The loss applies its own sigmoid. Probabilities between 0 and 1 then become predictions between 0.50 and 0.73: the model
can never predict a clear no, and negatives cost at least 0.69 each.

## Common belief
A binary classifier ends in a sigmoid.

## In truth
With `binary_cross_entropy_with_logits` the sigmoid is in the loss, in a form that does not overflow. A second one
before it confines predictions to between 0.50 and 0.73.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 1), torch.nn.Sigmoid())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.BCEWithLogitsLoss()
for _ in range(8):
    x = torch.randn(16, 8)
    loss = criterion(model(x), (x[:, :1] > 0).float())
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
criterion = torch.nn.BCEWithLogitsLoss()
for _ in range(8):
    x = torch.randn(16, 8)
    loss = criterion(model(x), (x[:, :1] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Sigmoids further upstream: gates, attention, squeeze-and-excite.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

PROBABILITIES = frozenset({"Sigmoid", "Softmax"})


@rule("error", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        made_by = part.fed_by[0].name if part.fed_by else ""
        if part.kind == "bce-with-logits" and made_by in PROBABILITIES:
            yield Evidence(
                message=(
                    f"binary cross-entropy with logits gets probabilities: its input comes from a {made_by.lower()}, "
                    "so that its predictions lie between 0.50 and 0.73"
                ),
                fix=f"drop the {made_by.lower()}, or use binary_cross_entropy on its output.",
                site=part.site,
                numbers={"made_by": made_by.lower()},
            )
