"""The same loss is backwarded twice into one step.

## What it does
Fires when the gradients of a step hold the same loss value's graph twice: backwarded twice, or once alone and once in a
sum with other losses.

## Why it matters
The gradient counts double: twice the rate for this loss, and a wrong balance against the others. It takes
`retain_graph=True` to get there, which is often added only to silence the error that would have revealed the bug.

## Common belief
`retain_graph=True` fixes "trying to backward through the graph a second time".

## In truth
It silences the message. The second backward then adds the same gradient once more; the usual fix is to call backward
once, on the sum of the losses.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    y = model(x)
    fit = torch.nn.functional.mse_loss(y, x.sum(1, keepdim=True))
    small = 0.01 * y.square().mean()
    optimizer.zero_grad()
    fit.backward(retain_graph=True)
    small.backward()
    optimizer.step()
```

## When it stays silent
Different losses over one retained graph; a second backward after the first one's gradients were cleared.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    seen: dict[tuple[int, float | None], int] = {}
    for b in now.window:
        if b.root == 0 or b.num_tensors != 1:
            continue
        key = (b.root, b.value)
        twice = next((one for one in b.again if _meet(now, one, b.ordinal)), None)
        if twice is not None:
            yield Evidence(
                message=(
                    "the loss backwarded here is a sum, and one addend was already backwarded into this step: "
                    "its gradient is added again"
                ),
                fix="backward the sum alone, or leave the addend out of it.",
                site=b.site,
                numbers={"loss": b.value, "first_backward": twice, "second_backward": b.ordinal},
            )
            return
        if key in seen:
            yield Evidence(
                message="the loss backwarded here was already backwarded into this step: its gradient counts twice",
                fix="remove one of the two backward() calls, and retain_graph=True with it.",
                site=b.site,
                numbers={"loss": b.value, "first_backward": seen[key], "second_backward": b.ordinal},
            )
            return
        seen[key] = b.ordinal


def _meet(now: StepFacts, first: int, second: int) -> bool:
    """In the gradient of a parameter: one may have been cleared, or be for other parameters."""
    return any(g.present and {first, second} <= set(g.sources) for g in now.gradients)
