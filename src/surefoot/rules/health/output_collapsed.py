"""The model's outputs no longer depend on its input.

## What it does
Fires when the last layer gives the same output for every sample of a batch, in many sampled batches in a row, although
an earlier layer distinguishes samples or once did, and the loss is no lower than at the start.

## Why it matters
A model that gives every input the same answer has found the best constant and stays there. Typical causes are dead
layers in the middle, an inverted mask, or a decay that pulled the weights to zero.

## Common belief
A loss that has settled shows that the model has learned something.

## In truth
The best constant answer has a loss too, and training reaches it quickly. Only outputs that differ between samples show
that the model has learned something.

## Bad
```python
import torch

torch.manual_seed(0)
first, second = torch.nn.Linear(8, 32), torch.nn.Linear(32, 4)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
is_padding = torch.zeros(32, 1)
for _ in range(120):
    x = torch.randn(32, 8)
    hidden = torch.relu(first(x)) * is_padding
    loss = torch.nn.functional.cross_entropy(second(hidden), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
first, second = torch.nn.Linear(8, 32), torch.nn.Linear(32, 4)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
is_padding = torch.zeros(32, 1)
for _ in range(120):
    x = torch.randn(32, 8)
    hidden = torch.relu(first(x)) * (1 - is_padding)
    loss = torch.nn.functional.cross_entropy(second(hidden), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Output layers that begin at zero, until they have had time; batches of a few rows, or of the same sample; losses that
have improved; programs with several optimizers.
"""

from collections.abc import Iterator

from surefoot.facts import ActivationFacts, SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, middle_loss

WARM_UP = 64  # updates
LATELY = 16  # sampled steps, in all of which it must be so
SAME = 1e-4  # variation of an output over the samples, as a share of its size
VARIED = 0.01  # of a layer that distinguishes samples
FEWEST_ROWS = 8


def _last(step: SignalFacts) -> ActivationFacts | None:
    return next((a for a in step.activations if a.is_last), None)


def _is_same(step: SignalFacts) -> bool:
    last = _last(step)
    return last is not None and last.num_rows >= FEWEST_ROWS and last.variation < SAME


def _distinguished(course: Course, now: SignalFacts) -> ActivationFacts | None:
    """The last layer that distinguishes samples, or once did."""
    here = [a for a in now.activations if not a.is_last and a.variation > VARIED]
    then = [a for step in course.first() for a in step.activations if a.is_last and a.variation > VARIED]
    return here[-1] if here else then[0] if then else None


@rule("warning", on=SignalFacts, probes=("signals", "activations"))
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if now.update < WARM_UP or past.num_sampled_optimizers > 1 or not _is_same(now):
        return
    course = Course(now, past)
    if len(course) < 2 * LATELY or not all(_is_same(step) for step in course.last(LATELY)) or course.improves(LATELY):
        return
    last, varied = _last(now), _distinguished(course, now)
    if last is None or varied is None:
        return
    first_loss, loss = course.first_loss, middle_loss(course.last(LATELY))
    yield Evidence(
        message=f"{last.module} ({last.kind}) gives the same output for all {last.num_rows} rows of a batch (they vary "
        f"by {last.variation:.0e} of their size), and {varied.module} varied by {varied.variation:.0%}; the loss went "
        f"from {first_loss:.3g} to {loss:.3g}",
        fix="check the layers between the two for dead or saturated units, strong weight decay, a detached input.",
        site=now.site,
        numbers={"module": last.module, "variation": last.variation, "varied": varied.module, "loss": loss},
    )
