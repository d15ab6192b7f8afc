"""A regression loss compares class scores with class indices.

## What it does
Fires when MSE, L1 or a similar loss gets one output per class and, as target for all of them, the number of the class.

## Why it matters
Every output is pulled towards the class number itself: class 9 counts as nine times class 1, and at the optimum all
outputs are equal, so that the highest score says nothing. It runs because the index broadcasts over the outputs.

## Common belief
A class number is a number, so that MSE can compare it with the outputs.

## In truth
It broadcasts over the outputs and pulls each of them to the same number. Classes are names, not quantities, and
cross-entropy treats them as such.

## Bad
```python
import warnings

import torch

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    loss = torch.nn.functional.mse_loss(model(x), y.float().unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Regression on counts and ratings with one output; one-hot targets; several outputs with real-valued targets; targets
that do not run through the indices of the outputs.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

REGRESSIONS = frozenset({"mse", "l1", "smooth-l1", "huber"})
MIN_CLASSES = 3  # two values may mean real and fake, for several critics at once
SHARE_OF_INDICES = 0.75  # the labels of a batch reach nearly the last index, if they are indices of the outputs


def _num_outputs(part: LossFacts) -> int:
    """Outputs per sample; 0 when the targets are no class indices."""
    target = part.target
    if part.kind not in REGRESSIONS or part.input is None or target is None:
        return 0
    outputs, is_highest = part.input.shape, [op.name for op in part.fed_by[:1]] in (["Max"], ["Amax"])
    if is_highest and len(outputs) == 1 and len(part.fed_by) > 1 and len(part.fed_by[1].shape) == 2:
        outputs = part.fed_by[1].shape  # scores.max(1) against the index
    if len(outputs) != 2 or outputs[1] < MIN_CLASSES:
        return 0
    num_samples, num = outputs
    meets = (outputs, (num_samples, 1)) if num_samples != num else (outputs, (num_samples, 1), (num_samples,))
    if target.shape not in (*meets, *([(num_samples,)] if is_highest else [])):
        return 0
    if not (target.is_whole and target.is_same_in_row) or target.lowest is None or target.highest is None:
        return 0
    are_indices = target.lowest >= 0 and SHARE_OF_INDICES * (num - 1) <= target.highest <= num - 1
    return num if are_indices and (target.num_distinct or 0) >= MIN_CLASSES else 0


@rule("warning", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        num = _num_outputs(part)
        if num:
            assert part.target is not None and part.target.highest is not None
            yield Evidence(
                message=(
                    f"{part.kind} compares all {num} outputs of a sample with one whole number between 0 and "
                    f"{part.target.highest:.0f}: the index of its class"
                ),
                fix="use cross_entropy(scores, class_index), with the index as an integer.",
                site=part.site,
                numbers={"outputs": num, "distinct_targets": part.target.num_distinct},
            )
