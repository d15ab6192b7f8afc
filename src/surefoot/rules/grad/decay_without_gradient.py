"""Parameters that got no gradient keep moving by momentum or weight decay.

## What it does
Notes that some parameters step with an all-zero gradient, because `zero_grad(set_to_none=False)` left zeros behind and
no gradient arrived, while their optimizer has momentum, running averages or weight decay.

## Why it matters
With `None` an optimizer leaves a parameter alone; with zeros it applies decay and old momentum to it. Idle experts,
task heads and embeddings shrink or drift while they are not in use.

## Common belief
A gradient of zero and no gradient at all are the same to an optimizer.

## In truth
Where `.grad` is `None` it skips the parameter. With zeros it applies weight decay, momentum and running averages, and
the parameter moves.

## Bad
```python
import torch

torch.manual_seed(0)
heads = torch.nn.ModuleList([torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)])
optimizer = torch.optim.SGD(heads.parameters(), lr=0.01, momentum=0.9)
for i in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(heads[i % 2](x), x.sum(1, keepdim=True))
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
heads = torch.nn.ModuleList([torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)])
optimizer = torch.optim.SGD(heads.parameters(), lr=0.01, momentum=0.9)
for i in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(heads[i % 2](x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Plain SGD without momentum and decay, which leaves a parameter with zero gradient alone.
"""

from collections.abc import Iterator

from surefoot.facts import OptimizerFacts, StepFacts
from surefoot.rules import Evidence, History, rule


def _moves_without_gradient(optimizer: OptimizerFacts) -> bool:
    plain = optimizer.kind == "SGD" and all(g.momentum == 0 and g.weight_decay == 0 for g in optimizer.groups)
    return not plain


@rule("note", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    idle = [g for g in now.gradients if g.present and not g.sources and not g.by_hand and not g.discarded]
    trained = any(g.present and g.sources for g in now.gradients)
    optimizer = next((o for o in past.setup.optimizers if o.id == now.optimizer), None)
    if not idle or not trained or optimizer is None or not _moves_without_gradient(optimizer):
        return
    num = sum(g.num_params for g in idle)
    names = ", ".join([name for g in idle for name in g.params][:3])
    yield Evidence(
        message=f"{num} parameters ({names}) got no gradient but step with zeros, moved by {optimizer.kind}'s state",
        fix="call zero_grad() without set_to_none=False, so that idle parameters have no gradient.",
        site=now.site,
        numbers={"params": num},
    )
