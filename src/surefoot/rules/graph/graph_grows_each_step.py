"""The graph behind the loss gets deeper with every step.

## What it does
Fires when the loss of each step is connected to the graphs of all steps before it: a hidden state, running average or
running total is carried along without being detached, and `retain_graph=True` hides the error that would reveal it.

## Why it matters
Every backward goes through all steps so far: time and memory grow with the square of the number of steps, and old
batches get their gradients again and again, computed for weights that no longer exist.

## Common belief
A hidden state can be carried from batch to batch like any other variable.

## In truth
It carries the graph that made it. Without `.detach()` each loss reaches back through all batches before, and
`retain_graph=True` only hides the error that says so.

## Bad
```python
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
state = torch.zeros(16, 1)
for _ in range(12):
    x = torch.randn(16, 4)
    state = 0.5 * state + layer(x)
    loss = torch.nn.functional.mse_loss(state, x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
state = torch.zeros(16, 1)
for _ in range(12):
    x = torch.randn(16, 4)
    state = 0.5 * state.detach() + layer(x)
    loss = torch.nn.functional.mse_loss(state, x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Backpropagation through time within one step, of whatever length; graphs whose size varies with the batch; a part that
is computed once and kept for all steps.

## How it decides
Nodes of the graph are numbered in the order of their creation, which shows the step that made each one. The rule counts
the earlier steps in the present graph, and fires when every step brings more.
"""

from collections.abc import Iterator
from itertools import pairwise

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

MIN_SPANNED = 5  # earlier steps in one graph; a window that is truncated on purpose rarely spans as many updates
MIN_RISES = 4  # looks in a row, each of which finds more


@rule("warning", on=StepFacts, probes=("graph",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    spanned = _spanned(now)
    if spanned is None or spanned < MIN_SPANNED or not now.backwards:
        return
    looks = [spanned, *(s for step in past.of(now.optimizer) if (s := _spanned(step)) is not None)][: MIN_RISES + 1]
    if len(looks) <= MIN_RISES or not all(newer > older for newer, older in pairwise(looks)):
        return
    nodes = now.graph.num_nodes if now.graph is not None else None
    yield Evidence(
        message=(
            f"the graph behind the loss holds nodes made in {spanned} earlier steps ({nodes} nodes by now), and each "
            "step adds its own"
        ),
        fix="detach what is carried from step to step (state = state.detach()), and drop retain_graph=True.",
        site=now.backwards[-1].site,
        numbers={"steps_in_graph": spanned, "nodes": nodes},
    )


def _spanned(step: StepFacts) -> int | None:
    return None if step.graph is None else step.graph.num_spanned_steps
