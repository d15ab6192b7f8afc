"""The parameters of a model were replaced or converted after DistributedDataParallel was built around it.

## What it does
Fires when forwards go through a DistributedDataParallel whose hooks are on none of the model's current parameters,
because all were replaced or moved to another device or dtype, a step uses their gradients, and nothing was sent to
other ranks before it.

## Why it matters
The wrapper's hooks stay on the parameters it was built with. No gradient ever reaches those again, so it never sends
any: every rank trains its own model on its part of the data, and the saved one is that of rank 0.

## Common belief
DistributedDataParallel synchronises whatever parameters its module has.

## In truth
It registers its hooks on the parameters that exist when it is built. A layer that is replaced later has none. torch
also drops a parameter's hooks when `cpu()`, `cuda()` or `double()` changes its memory, and moving it back does not
restore them: `model.cpu()` to save and `model.cuda()` to go on end the synchronisation.

## Bad
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = torch.nn.Linear(4, 1)
parallel = DistributedDataParallel(model)
for name, param in list(model.named_parameters()):
    setattr(model, name, torch.nn.Parameter(param.detach() / 2))
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.05)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(parallel(x), x.sum(1, keepdim=True))
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
for name, param in list(model.named_parameters()):
    setattr(model, name, torch.nn.Parameter(param.detach() / 2))
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
By the identity of the parameters, or by conversions of modules that changed the type or device of all of them, and as
`no-sync-mismatch` does: nothing was sent between the backward and the step, nor later, up to a synchronised step, the
end of the run, or 1,024 steps on.

## When it stays silent
Some of the parameters are the old ones; their memory was exchanged one by one (`param.data = …`); the model was wrapped
again; gradients or weights are averaged by hand; models that are sharded.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.dist.alone import certain

WHAT = {"replaced": "replaced", "converted": "moved to another device or dtype"}


@rule("error", on=(StepFacts, EndFacts), probes=("dist",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    here = now.site if isinstance(now, StepFacts) else None
    for kind, what in WHAT.items():
        for steps in certain(now, kind):
            yield Evidence(
                message=(
                    f"{steps.num_steps} step(s) used gradients of {steps.model} on which DistributedDataParallel has "
                    f"no hooks: all parameters were {what} after it was built, and nothing was sent to the other "
                    f"{steps.num_ranks - 1} rank(s)"
                ),
                fix="build DistributedDataParallel after the last change of the model's parameters.",
                site=steps.backward or steps.site or here,
                numbers={"steps": steps.num_steps, "ranks": steps.num_ranks},
            )
