"""The graphs of past losses stay alive, and their number grows.

## What it does
Fires when losses that were backwarded in earlier steps are still held together with their autograd graphs, and every
step adds one more: `total += loss`, a list of losses, of outputs or of states.

## Why it matters
A loss tensor keeps every node of the graph that computed it, and everything these hold. Memory grows with every batch
until the epoch ends, and a sum of losses builds a chain as long as the epoch, when only the number was needed.

## Common belief
`total += loss` adds up numbers.

## In truth
`loss` is a tensor with a graph, and so is the sum. `loss.item()` or `loss.detach()` is the number; until then all
graphs of the epoch stay in memory.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for _ in range(20):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
print(total / 20)
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for _ in range(20):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(total / 20)
```

## When it stays silent
Losses summed first and backwarded together, the last few losses, a `deque` with a `maxlen`, and graphs that the current
loss still reaches (see `graph-grows-each-step`).

## How it decides
A token in a node of each loss's graph tells whether that graph is still alive at later steps. Few are enough where the
source shows the statement that keeps them; where it does not, many in a row are asked for.
"""

from collections.abc import Iterator

from surefoot.facts import KeptGraphFacts, StepFacts
from surefoot.rules import Evidence, History, rule

IN_A_ROW = 3  # a loop may hold the last loss, and the one before it, for a comparison
IN_A_ROW_UNSEEN = 16  # without a statement that explains it
IN_ALL = 4  # kept now and then, as by `if step % 10 == 0: losses.append(loss)`
OWN_HISTORY = 2  # earlier steps in the present graph: then it is that graph which grows


@rule("warning", on=StepFacts, probes=("graph",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.graph is None or (now.graph.num_spanned_steps or 0) >= OWN_HISTORY:
        return
    for kept in now.graph.kept:
        if kept.bounded or not _is_growing(kept):
            continue
        what = "losses" if kept.whole else "values that went into losses"
        where = "" if kept.site is None or kept.site == kept.backward else f" by line {kept.site.line}"
        yield Evidence(
            message=f"{what} of {kept.num_steps} earlier steps are kept with their whole autograd graphs{where}",
            fix="keep only the number: loss.item(), or loss.detach() if you need a tensor.",
            site=kept.site or kept.backward,
            numbers={"graphs_alive": kept.num_steps, "in_a_row": kept.num_in_a_row},
        )


def _is_growing(kept: KeptGraphFacts) -> bool:
    if kept.site is None:
        return kept.num_in_a_row >= IN_A_ROW_UNSEEN
    return kept.num_in_a_row >= IN_A_ROW or kept.num_steps >= IN_ALL
