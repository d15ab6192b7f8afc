"""The training forward bypasses DistributedDataParallel, so gradients are not synchronised.

## What it does
Fires when a model is wrapped in DistributedDataParallel, gradients come to its parameters and are used by a step, but
no forward of the wrapper ran, and nothing was sent to other ranks before the step: the program called
`model.module(x)`, a method of it, or a variable that still holds the model without its wrapper.

## Why it matters
The wrapper prepares for the backward in its own forward. Without it every rank trains its own model on its part of the
data, and the saved one is that of rank 0.

## Common belief
Once a model is wrapped in DistributedDataParallel, its gradients are synchronised.

## In truth
Only if the forward goes through the wrapper, which prepares the backward there. With `ddp.module(x)`, or the unwrapped
model, each rank trains alone.

## Bad
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = torch.nn.Linear(4, 1)
parallel = DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.05)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
```

## Good
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = torch.nn.Linear(4, 1)
parallel = DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.05)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(parallel(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
```

## How it decides
As `no-sync-mismatch` does: nothing was sent between the backward and the step, nor later, up to a synchronised step,
the end of the run, or 1,024 steps on.

## When it stays silent
Evaluation through `model.module`; a forward of the wrapper and one of the inner module before the same backward;
gradients or weights that are averaged by hand, also now and then; subclasses that synchronise in a way of their own.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.dist.alone import certain


@rule("error", on=(StepFacts, EndFacts), probes=("dist",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    here = now.site if isinstance(now, StepFacts) else None
    for steps in certain(now, "bypassed"):
        yield Evidence(
            message=(
                f"{steps.num_steps} step(s) used gradients of {steps.model} that came without a forward of the "
                f"DistributedDataParallel around it: nothing was sent to the other {steps.num_ranks - 1} rank(s)"
            ),
            fix=f"call the wrapper in training, not the {steps.model} inside it.",
            site=steps.backward or steps.site or here,
            numbers={"steps": steps.num_steps, "ranks": steps.num_ranks},
        )
