"""Prediction and target, or losses and their weights, are broadcast against each other into a larger shape.

## What it does
Fires when an element-wise loss, torch's or a hand-written difference, gets a prediction and a target of shapes such as
(N, 1) and (N), so that both are expanded to (N, N), or (N, C, 1, 1) and (N, C). It also fires when the target was
expanded before, as where a reward of shape (N, 1) is added to a value of shape (N), and then met a prediction of shape
(N, 1); and when the unreduced losses of a batch were expanded against the weights of its samples.

## Why it matters
Where predictions met all targets, the best answer is the mean of all targets: the loss falls to their variance and
stays there, and the model learns to ignore its input. Where losses met all weights, every loss counts by the mean
weight, as if there were none. Nothing crashes.

## Common belief
If shapes did not fit, the loss would raise an error.

## In truth
(N, 1) and (N) do fit: they broadcast to (N, N), which compares every prediction with every target. The result is a
scalar like any other.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 4)
    y = x.sum(1)
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 4)
    y = x.sum(1)
    loss = ((model(x).squeeze(1) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Only one of the two is expanded: masks, weights, a constant target, a parameter fitted to many samples. Pairwise losses,
in which the program turned one of the two for it (`unsqueeze`, `[:, None]`, `.t()`): contrastive, ranking, quantile and
energy losses.

## How it decides
By the shapes in the graph. A hand-written difference does not keep the target; whether it was expanded is told by the
differences, which then change from row to row by the same amount in every column. A target of shape (N, N) against one
prediction a sample was expanded if its rows are multiples of one row, each shifted by a number.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

IMAGE = 4  # dimensions of what a pooling layer returns


def _text(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})"


def _reshape(prediction: tuple[int, ...]) -> str:
    return "prediction.squeeze(1)" if len(prediction) < IMAGE else "prediction.flatten(1)"


@rule("error", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        if part.weighed:
            yield _weighed(part)
        if not part.broadcast:
            continue
        prediction, target, both = map(_text, part.broadcast)
        if target == both:
            message = (
                f"a prediction of shape {prediction} met a target of shape {target}, in which the values of all "
                "samples are combined with each other: every prediction is compared with values of every sample"
            )
            fix = "bring the parts of the target to one shape before they are added or multiplied, with .unsqueeze(1)."
        else:
            message = (
                f"a prediction of shape {prediction} and a target of shape {target} were expanded to {both}: "
                "every prediction is compared with every target"
            )
            fix = f"bring both to one shape before the loss, for example with {_reshape(part.broadcast[0])}."
        yield Evidence(
            message=message,
            fix=fix,
            site=part.site,
            numbers={"prediction": prediction, "target": target, "expanded_to": both},
        )


def _weighed(part: LossFacts) -> Evidence:
    unreduced, weights, both = map(_text, part.weighed)
    return Evidence(
        message=(
            f"losses of shape {unreduced} and weights of shape {weights} were expanded to {both}: every loss is "
            "weighed by the weights of all samples"
        ),
        fix="bring both to one shape before they are multiplied, for example with weights.view_as(losses).",
        site=part.site,
        numbers={"losses": unreduced, "weights": weights, "expanded_to": both},
    )
