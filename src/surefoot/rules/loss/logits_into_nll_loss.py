"""The input of NLL loss is not log-probabilities.

## What it does
Fires when the input of `nll_loss` comes straight from a layer or from a softmax, and its values are no
log-probabilities: they are positive, or do not normalise to one.

## Why it matters
NLL loss only picks out the entry of the right class and negates it. On raw scores it is a linear function without lower
bound, which the model minimises by growing its scores without limit. On probabilities it has almost no gradient for
hard samples.

## Common belief
NLL loss and cross-entropy are two names of one loss.

## In truth
Cross-entropy is log-softmax followed by NLL loss. NLL loss alone negates the entry of the right class: on raw scores
that has no lower bound.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    loss = torch.nn.functional.nll_loss(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.LogSoftmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    loss = torch.nn.functional.nll_loss(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Scores that a log-softmax, a logarithm or a formula of the program's own made: normalised by hand, of a flow or of a
conditional random field.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import RAW_OUTPUTS, losses

PROBABILITIES = frozenset({"Softmax", "Sigmoid"})


def _what(part: LossFacts) -> str:
    """What the input is instead of log-probabilities; empty when that is not certain."""
    made_by = part.fed_by[0].name if part.fed_by else ""
    values = part.input
    if part.kind != "nll" or values is None or values.is_log_probability is not False:
        return ""
    if values.is_probability:
        return f"probabilities without a logarithm: they sum to one and reach {values.highest:.3g}"
    if made_by in PROBABILITIES:
        return f"the output of a {made_by.lower()} without a logarithm"
    if made_by in (*RAW_OUTPUTS, "Linear") and values.highest is not None and values.highest > 0:
        return f"raw scores: no log-softmax made its input, which reaches {values.highest:.3g}"
    return ""


@rule("error", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        what = _what(part)
        if what:
            yield Evidence(
                message=f"NLL loss gets {what}, while log-probabilities are never positive",
                fix="end the model with log_softmax, or use cross_entropy, which includes it.",
                site=part.site,
                numbers={
                    "highest": part.input.highest if part.input else None,
                    "made_by": [op.name for op in part.fed_by[:1]],
                },
            )
