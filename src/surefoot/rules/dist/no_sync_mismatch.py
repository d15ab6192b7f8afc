"""A step uses gradients computed under `no_sync`, without a synchronising backward before it.

## What it does
Fires when a model in DistributedDataParallel takes a step, the last forward before it ran under `no_sync` (or with
`require_backward_grad_sync` off), and nothing was sent to other ranks up to the step. It is a warning where it is the
other way round: the backward ran under `no_sync` and its forward did not, so that gradients are sent after all.

## Why it matters
Whether gradients are synchronised is decided by the forward, not by the backward. Each rank then steps on its own
gradients, the copies of the model drift apart, and nothing ever brings them together again.

## Common belief
`no_sync` around the backward is what delays the synchronisation.

## In truth
What matters is whether the forward ran under `no_sync`. Both forward and backward belong inside, except those of the
last micro-batch.

## Bad
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(6):
    for micro_batch in range(2):
        x = torch.randn(16, 4)
        with model.no_sync():
            loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 2
        model.require_backward_grad_sync = micro_batch == 1
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
```

## Good
```python
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(6):
    for micro_batch in range(2):
        x = torch.randn(16, 4)
        model.require_backward_grad_sync = micro_batch == 1
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 2
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
```

## How it decides
A process group numbers all it sends, the reductions of DistributedDataParallel included: where the number stands
still between the last backward and the step, nothing was synchronised. A step under `no_sync` alone may be local SGD.
It is a mistake once a synchronised step follows and nothing was sent in between, at the end of the run, or after
1,024 steps; at once where synchronising was off for the forward and on for its backward, and where an earlier
micro-batch of the same window was synchronised and the last one was not.

## When it stays silent
The last micro-batch of a window is synchronised; gradients are averaged by hand; weights are averaged every so many
steps; communication hooks; runs that did not come to their end; process groups that do not number what they send.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts, UnsyncedFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.dist.alone import certain


@rule("error", on=(StepFacts, EndFacts), probes=("dist",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    here = now.site if isinstance(now, StepFacts) else None
    for steps in certain(now, "no-sync"):
        yield Evidence(
            message=_message(steps),
            fix=(
                "run forward and backward of the last micro-batch of every window outside no_sync, also in the short "
                "window at the end of an epoch."
            ),
            site=steps.site or here,
            numbers={"steps": steps.num_steps, "ranks": steps.num_ranks},
        )
    for steps in now.unsynced:
        if steps.kind == "needless":
            yield Evidence(
                message=(
                    f"the backward of {steps.model} runs under no_sync and its forward does not: its gradients are "
                    f"sent to the other {steps.num_ranks - 1} rank(s) all the same"
                ),
                why="the forward decides whether gradients are synchronised; around the backward it does nothing.",
                fix="put the forward under no_sync, too.",
                site=steps.backward or here,
                level="warning",
            )


def _message(steps: UnsyncedFacts) -> str:
    what = (
        f"{steps.num_steps} step(s) of {steps.model} used gradients that were not synchronised over "
        f"{steps.num_ranks} ranks"
    )
    if steps.backward_syncs:
        return f"{what}: the last forward before the step ran under no_sync, its backward did not"
    if steps.is_partly_sent:
        return (
            f"{what}: the last micro-batch before the step ran under no_sync, and an earlier one of the window was "
            "synchronised instead"
        )
    after = "; the next step was synchronised again, on weights that differ" if steps.is_followed else ""
    return f"{what}: the last micro-batch before the step ran under no_sync{after}"
