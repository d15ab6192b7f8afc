"""`retain_graph=True` keeps graphs that nothing uses again.

## What it does
Notes when every one of several steps in a row calls `backward(retain_graph=True)` and no later backward uses a kept
graph.

## Why it matters
A kept graph holds all activations until its loss is dropped, so two batches' worth are in memory at once. It also hides
the error that would reveal a graph used twice by mistake.

## Common belief
An unnecessary `retain_graph=True` does no harm.

## In truth
It costs memory, up to the activations of a whole batch, and it disables the check that catches a graph used twice by
mistake.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Several losses over one graph, `torch.autograd.grad` anywhere in the program, backwards that build graphs of
themselves, and steps that run a closure.
"""

from collections.abc import Iterator
from itertools import islice

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

STEPS = 8  # in a row; a use that comes later than that is not what the graph was kept for


@rule("note", on=StepFacts, probes=("graph",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    steps = [now, *islice(past.of(now.optimizer), STEPS - 1)]
    if len(steps) == STEPS and all(_retains_for_nothing(step) for step in steps):
        yield Evidence(
            message=f"backward(retain_graph=True) in each of {STEPS} steps, and no kept graph was used again",
            fix="leave retain_graph out.",
            site=now.backwards[-1].site,
            numbers={"steps": STEPS},
        )


def _retains_for_nothing(step: StepFacts) -> bool:
    backwards = step.backwards
    if not backwards or step.closure or step.graph is None or step.graph.num_grad_calls:
        return False
    last = backwards[-1]
    return last.retain_graph and not last.create_graph and step.graph.reused is False
