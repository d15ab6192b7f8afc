"""Every backward builds a graph of its own computation, and nothing uses it.

## What it does
Fires when every backward of several steps in a row runs with `create_graph=True`, and neither a second backward nor
`torch.autograd.grad` goes through what it built.

## Why it matters
The gradients come with a graph as large as that of the forward: a step takes about twice the time and memory. Each
parameter's gradient then refers to the parameter and back, a cycle that keeps memory until the gradient is cleared.

## Common belief
`create_graph=True` is a safe setting that merely keeps more options open.

## In truth
At every backward it builds a second graph as large as the first, and ties each gradient to its parameter in a cycle
that holds memory. It is only for differentiating through gradients.

## Bad
```python
import warnings

import torch

warnings.filterwarnings("ignore", message="Using backward")
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(create_graph=True)
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
Gradient penalties, meta-learning, Hessian-vector products, and optimizers that differentiate the gradients themselves.
An optimizer that is not torch's own gets more time to do so.
"""

from collections.abc import Iterator
from itertools import islice

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

STEPS = 4  # in a row
STEPS_OF_OWN_OPTIMIZER = 32  # those that use second derivatives may look at them only every 10th step or so


@rule("warning", on=StepFacts, probes=("graph",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.graph is None or not _builds_for_nothing(now):
        return
    wanted = STEPS_OF_OWN_OPTIMIZER if now.graph.own_optimizer else STEPS
    steps = [now, *islice(past.of(now.optimizer), wanted - 1)]
    if len(steps) == wanted and all(_builds_for_nothing(step) for step in steps):
        yield Evidence(
            message=f"backward(create_graph=True) in each of {wanted} steps, and nothing differentiated the gradients",
            fix="leave create_graph out.",
            site=now.backwards[-1].site,
            numbers={"steps": wanted},
        )


def _builds_for_nothing(step: StepFacts) -> bool:
    if not step.backwards or step.closure or step.graph is None or step.graph.num_grad_calls:
        return False
    return step.graph.reused is False and all(backward.create_graph for backward in step.backwards)
