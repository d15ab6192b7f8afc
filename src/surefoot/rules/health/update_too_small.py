"""Updates are too small to change the weights, and the loss does not improve.

## What it does
Fires when no layer was moved by more than a millionth of its size by any sampled update for long, though there are
gradients and the learning rate is not rising, and the loss is no lower than at the start.

## Why it matters
At a millionth of its size a step, a weight takes a hundred thousand steps to change by a tenth: training stands still
at full cost.

## Common belief
A small learning rate is slow, but safe.

## In truth
There is no lower limit to slow. At a millionth of its size a step, a weight gets nowhere within a run, and in half
precision it does not move at all.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-7)
for _ in range(160):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(160):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Warm-up, while the rate rises; the end of a schedule, after the loss has improved; a rate of zero, which has a rule of
its own; no gradients; programs with several optimizers.
"""

from collections.abc import Iterator

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, layers, middle_loss

WARM_UP = 128  # updates
LATELY = 32  # sampled steps, in all of which it must be so
SMALL = 1e-6


def _ratio(step: SignalFacts) -> float:
    """The largest; 1 where it is unknown."""
    ratios = [ratio for p in layers(step) if (ratio := p.update_ratio) is not None]
    return max(ratios) if ratios and step.grad_norm > 0 else 1.0


def _is_rising(course: Course) -> bool:
    first, last = course.last(LATELY)[0].lrs, course.last(1)[0].lrs
    return any(b > a for a, b in zip(first, last, strict=False)) or not any(last)


@rule("warning", on=SignalFacts, probes=("signals",))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if now.update < WARM_UP or past.num_sampled_optimizers > 1 or _ratio(now) > SMALL:
        return
    course = Course(now, past)
    if len(course) < 2 * LATELY or any(_ratio(step) > SMALL for step in course.last(LATELY)):
        return
    if course.improves(LATELY) or _is_rising(course):
        return
    first, last = course.first_loss, middle_loss(course.last(LATELY))
    yield Evidence(
        message=f"the last {LATELY} sampled updates moved no layer by more than {_ratio(now):.0e} of its size, and the "
        f"loss went from {first:.4g} to {last:.4g} in {now.update} updates; the gradient norm is {now.grad_norm:.2g}",
        fix="raise the learning rate"
        + (f" of {now.lrs[0]:g}" if now.lrs else "")
        + "; look for factors that shrink the loss or the gradients.",
        site=now.site,
        numbers={"update_ratio": _ratio(now), "first_loss": first, "loss": last, "lrs": list(now.lrs)},
    )
