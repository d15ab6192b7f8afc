"""A single update moved one parameter far off.

## What it does
Fires when an update moved one parameter by a large part of its size and many times further than usual, on an equally
unusual gradient, while the other parameters moved as usual.

## Why it matters
A scale, temperature or bias that jumps affects the whole model, and the loss of the following steps does not show which
one it was. The usual cause is a division or logarithm near zero.

## Common belief
If one parameter jumps, the loss curve shows at which step.

## In truth
The loss shows a step or more later that something went wrong, but never where. Only a look at each parameter finds the
one scalar among millions that jumped.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
width = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([*model.parameters(), width], lr=0.01)
for i in range(64):
    x = torch.randn(32, 8)
    spread = x[:, :4].std(0) * (0.025 if i == 50 else 1.0)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1]) + 0.1 * (width / spread - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
width = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([*model.parameters(), width], lr=0.01)
for i in range(64):
    x = torch.randn(32, 8)
    spread = (x[:, :4].std(0) * (0.025 if i == 50 else 1.0)).clamp(min=0.1)
    loss = torch.nn.functional.mse_loss(model(x), x[:, :1]) + 0.1 * (width / spread - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([*model.parameters(), width], 1.0)
    optimizer.step()
```

## When it stays silent
Parameters that are nearly zero, or that have moved as far before; updates in which all parameters move further; the
first steps; changes that are not made by an optimizer.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from surefoot.facts import ParameterSignals, SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course

WARM_UP = 32  # sampled steps
USUALLY = 64  # sampled steps that define what is usual
FAR = 0.5  # of its size, in one update
TIMES = 20.0  # the usual update, and the usual gradient
TIMES_HIGHEST = 4.0  # the largest update before
OTHERS = 5.0  # the others moved less than this many times what they usually do


def _own(name: str, before: Sequence[SignalFacts]) -> list[ParameterSignals]:
    return [p for step in before for p in step.params if p.name == name]


def _jumped(now: ParameterSignals, before: Sequence[SignalFacts]) -> bool:
    own = _own(now.name, before)
    gradients = [p.grad_norm for p in own if p.grad_norm is not None]
    if len(gradients) < WARM_UP or now.grad_norm is None:
        return False
    usual = median(p.update_norm for p in own)
    return (
        0 < TIMES * usual < now.update_norm
        and now.update_norm > TIMES_HIGHEST * max(p.update_norm for p in own)
        and now.grad_norm > TIMES * median(gradients)
    )


def _others_moved(now: SignalFacts, name: str, before: Sequence[SignalFacts]) -> float:
    """How many times further than usual the median of the other parameters moved."""
    times = []
    for p in now.params:
        usual = median([q.update_norm for q in _own(p.name, before)] or [0.0])
        times += [p.update_norm / usual] if p.name != name and usual > 0 else []
    return median(times) if times else float("inf")


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    far = [p for p in now.params if (p.update_ratio or 0.0) > FAR]
    if not far:
        return
    course = Course(now, past)
    before = course.before(1)[-USUALLY:]
    if len(before) < WARM_UP:
        return
    for p in far:
        if _jumped(p, before) and _others_moved(now, p.name, before) < OTHERS:
            usual = median(q.update_norm for q in _own(p.name, before))
            yield Evidence(
                message=f"update {now.update} moved {p.name} by {p.update_norm:.3g}, {p.update_norm / usual:.0f} times "
                f"as far as usual and {p.update_ratio or 0.0:.0%} of its size; its gradient norm was {p.grad_norm:.3g}",
                fix="clip gradients, and keep divisions and logarithms that it takes part in away from zero.",
                site=now.site,
                numbers={"parameter": p.name, "update_norm": p.update_norm, "usual": usual, "step": now.index},
            )
            return
