"""The input of a KL divergence is not log-probabilities.

## What it does
Fires when `kl_div` gets probabilities as input, or raw scores with positive values.

## Why it matters
`kl_div(input, target)` expects the logarithm of the model's probabilities. On probabilities or scores it computes
something that is no divergence, can be negative, and has its optimum elsewhere.

## Common belief
`kl_div(p, q)` takes two distributions, as in the textbook.

## In truth
Its first argument is the logarithm of the model's probabilities, its second the target as probabilities; the order is
the reverse of the textbook's, too.

## Bad
```python
import torch
from torch.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    target = F.softmax(x[:, :5], dim=1)
    loss = F.kl_div(F.softmax(model(x), dim=1), target, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch
from torch.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    target = F.softmax(x[:, :5], dim=1)
    loss = F.kl_div(F.log_softmax(model(x), dim=1), target, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Logarithms in any spelling, also of unnormalised or hand-made probabilities; targets given as logarithms
(`log_target=True`).
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import RAW_OUTPUTS, losses

PROBABILITIES = frozenset({"Softmax", "Sigmoid"})


def _what(part: LossFacts) -> str:
    made_by = part.fed_by[0].name if part.fed_by else ""
    values = part.input
    if part.kind != "kl" or values is None or values.highest is None or values.highest <= 0:
        return ""
    if values.is_probability or made_by in PROBABILITIES:
        return f"probabilities (up to {values.highest:.3g})"
    return f"raw scores (up to {values.highest:.3g})" if made_by in RAW_OUTPUTS else ""


@rule("warning", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        what = _what(part)
        if what:
            yield Evidence(
                message=f"the input of kl_div is {what}, where it expects log-probabilities",
                fix="pass log_softmax of the scores as input; the target stays a probability.",
                site=part.site,
                numbers={"highest": part.input.highest if part.input else None},
            )
