"""The first cross-entropy losses are far above those of a random guess.

## What it does
Fires when the first two losses of a freshly made classifier are many times ln(C), which is what equal scores for all C
classes would cost.

## Why it matters
A fresh model knows nothing, so its loss should be near ln(C). A far larger loss means that it is confident and wrong:
weights initialised too wide, inputs not scaled, or labels that do not fit the outputs. The first epochs are spent on
shrinking the scores, and some units may die on the way.

## Common belief
The first loss is arbitrary, because the model is random.

## In truth
It is the one loss that is known beforehand: equal scores for C classes cost ln(C). A model that starts far above it is
confident and wrong, because of a scale that is too large or labels that do not fit.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5))
for param in model.parameters():
    torch.nn.init.normal_(param)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for _ in range(8):
    x = torch.randn(16, 32)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for _ in range(8):
    x = torch.randn(16, 32)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Loaded weights, class weights, label smoothing, summed losses, contrastive losses, and scores that a formula made
(margins, temperatures), whose first loss is no guess.
"""

import math
from collections.abc import Iterator

from surefoot.facts import BackwardFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import RAW_OUTPUTS

TIMES = 10.0  # raw features reach 3 to 5 times ln(C) and tied embeddings of torch's default 8 times, and train well


def _excess(backward: BackwardFacts) -> float:
    """The loss, in units of ln(C); 0 when it can't be compared with guessing."""
    loss = backward.loss
    if loss is None or backward.value is None or not loss.factor or not backward.given or not _is_plain(loss):
        return 0.0
    assert loss.num_classes is not None
    value = backward.value / (loss.factor / backward.given)
    return value / math.log(loss.num_classes) if math.isfinite(value) else 0.0


def _is_plain(loss: LossFacts) -> bool:
    straight = [op.name for op in loss.fed_by[:1]] == ["LogSoftmax"] and len(loss.fed_by) > 1
    return (
        loss.kind == "cross-entropy"
        and loss.reduction == "mean"
        and loss.num_terms == 1
        and (loss.num_classes or 0) > 1
        and straight
        and loss.fed_by[1].name in RAW_OUTPUTS
        and not (loss.is_weighted or loss.label_smoothing or loss.is_pretrained)
        and not (loss.target is not None and loss.target.counts_up)
    )


@rule("warning", on=StepFacts, probes=("loss",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    before = next(past.of(now.optimizer), None)
    if now.update != 2 or before is None or not before.backwards or not now.backwards:
        return
    first, second = before.backwards[0], now.backwards[0]
    if first.ordinal != 1 or first.site != second.site or min(_excess(first), _excess(second)) < TIMES:
        return
    assert first.loss is not None and first.loss.num_classes is not None and first.value is not None
    guess = math.log(first.loss.num_classes)
    yield Evidence(
        message=(
            f"the first cross-entropy losses are {first.value:.3g} and {second.value:.3g}, while guessing among "
            f"{first.loss.num_classes} classes costs {guess:.2f}"
        ),
        fix="initialise the last layer smaller (torch's default, or zeros) and scale the inputs to unit variance.",
        site=first.loss.site,
        numbers={"first_loss": first.value, "loss_of_guessing": round(guess, 4), "times": round(_excess(first), 2)},
    )
