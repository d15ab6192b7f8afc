"""Cross-entropy is given probabilities instead of logits.

## What it does
Fires when the input of a cross-entropy comes from a softmax, directly or through reshapes, slices, casts and clamps,
or sums to one over the classes, as attention over labels does; also of one that is written out with `log_softmax`
or `logsumexp`.

## Why it matters
Cross-entropy applies its own log-softmax. On probabilities, all scores lie between 0 and 1: a
perfect prediction still costs ln(1 + (C - 1)/e), gradients are small where they matter, and training is slow and ends
early. Nothing crashes and accuracy rises a little, so it looks like a hard problem.

## Common belief
A classifier ends in a softmax, and the loss compares probabilities.

## In truth
PyTorch's cross-entropy takes logits and includes the softmax. After a softmax of a softmax no class can be more than e
times as likely as another, however sure the model is.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.CrossEntropyLoss()
for _ in range(8):
    x = torch.randn(16, 8)
    loss = criterion(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.CrossEntropyLoss()
for _ in range(8):
    x = torch.randn(16, 8)
    loss = criterion(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Soft targets made by softmax, attention further upstream, logarithms of probabilities, and log-softmax before
cross-entropy, which is idle but harmless.
"""

import math
from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

NORMALISERS = {"LogSoftmax": "log_softmax", "Logsumexp": "logsumexp"}


def _gets_probabilities(part: LossFacts) -> str:
    """How its input is known to be probabilities; "" if it is not."""
    made_by = [op.name for op in part.fed_by[:2]]
    if made_by == ["LogSoftmax", "Softmax"]:
        return "has been through a softmax"
    # Written out a softmax ends in a division; attention over labels ends in a product with them.
    sums_to_one = part.input is not None and part.input.is_probability and part.input.shape[0] > 1
    is_known = len(made_by) == 2 and bool(sums_to_one) and (part.num_classes or 0) > 1
    return "sums to one over them" if is_known else ""


@rule("error", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        if part.kind == "log-likelihood" and _is_softmax_of_softmax(part):
            yield _written_out(part)
        how = _gets_probabilities(part) if part.kind == "cross-entropy" else ""
        if not how:
            continue
        classes = part.num_classes or part.fed_by[0].shape[-1]
        floor = _floor(classes)
        yield Evidence(
            message=(
                f"cross-entropy over {classes} classes gets probabilities: its input {how}. "
                f"However good the model, the loss cannot fall below {floor:.2f}"
            ),
            fix="give cross-entropy the raw scores: take the softmax out of the model, or use it only for evaluation.",
            site=part.site,
            numbers={"classes": classes, "lowest_possible_loss": round(floor, 4)},
        )


def _floor(classes: int) -> float:
    return math.log1p((classes - 1) / math.e)


def _is_softmax_of_softmax(part: LossFacts) -> bool:
    outer, inner = part.fed_by[:2] if len(part.fed_by) > 1 else (None, None)
    if outer is None or inner is None or outer.name not in NORMALISERS or inner.name != "Softmax":
        return False
    return outer.dim is not None and (outer.dim, outer.shape) == (inner.dim, inner.shape)


def _written_out(part: LossFacts) -> Evidence:
    first = part.fed_by[0]
    classes = first.shape[first.dim or 0]
    floor, function = _floor(classes), NORMALISERS[first.name]
    return Evidence(
        message=(
            f"{function} over {classes} classes gets probabilities: its input has been through a softmax. "
            f"However sure the model, no class gets a log-probability above -{floor:.2f}"
        ),
        fix=f"give {function} the raw scores, or take the logarithm of the probabilities.",
        site=part.site,
        numbers={"classes": classes, "highest_possible_log_probability": round(-floor, 4)},
    )
