"""A custom autograd function's backward disagrees with finite differences.

## What it does
On request (`--gradcheck`): calls every autograd function that the program defines again, on the arguments of its first
training call, and compares what its backward returns with finite differences of its forward, element by element.

## Why it matters
Autograd trusts whatever a custom backward returns. With a lost factor, a missing mask or a swapped argument, gradients
still point roughly downhill: training works worse, and nothing shows why.

## Common belief
If a custom backward runs and the loss falls, its gradient is right.

## In truth
Many wrong gradients still point downhill a little. Only a comparison with finite differences tells a right one from a
wrong one.

## Bad
```python
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x**2


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(Cube.apply(model(x)), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(Cube.apply(model(x)), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Straight-through estimators, whose forward is flat; functions that hand values through and change gradients only, such
as gradient reversal; surrogates by name; functions that can't be called again or give different numbers each time. A
note says which were not checked.
"""

from collections.abc import Iterator

from surefoot.facts import GradcheckFacts, StepFacts
from surefoot.rules import Evidence, History, rule


@rule("error", on=StepFacts, probes=("gradcheck",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for checked in now.gradchecks:
        if checked.verdict == "wrong":
            yield _wrong(checked)
        elif checked.verdict == "unchecked":
            yield Evidence(
                message=f"the backward of {checked.function} was not checked: {checked.why}",
                fix="nothing, if its gradient is meant to differ from that of its forward.",
                why="Finite differences say nothing about a gradient that is not meant to be that of the forward.",
                site=checked.site,
                level="note",
            )


def _wrong(checked: GradcheckFacts) -> Evidence:
    return Evidence(
        message=(
            f"the gradient that {checked.function}.backward returns for input {checked.wrong_input} is wrong in "
            f"{checked.num_wrong} of {checked.num_compared} elements: {checked.analytic:.4g} where finite differences "
            f"give {checked.numeric:.4g}"
        ),
        fix=f"correct {checked.function}.backward; torch.autograd.gradcheck tests it alone.",
        site=checked.site,
        numbers={
            "input": checked.wrong_input,
            "analytic": checked.analytic,
            "numeric": checked.numeric,
            "wrong": checked.num_wrong,
            "compared": checked.num_compared,
        },
    )
