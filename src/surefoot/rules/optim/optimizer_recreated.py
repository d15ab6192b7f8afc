"""An optimizer is recreated again and again and loses its state each time.

## What it does
Fires when one line of code makes a new optimizer with state (momentum, Adam's averages) over the same parameters for
the third or fourth time, once per step or once per epoch.

## Why it matters
A new optimizer starts with empty averages. Adam's first step after that moves every weight by the full rate in the
direction of one batch's sign, and momentum never builds up: training gets noisy and slow.

## Common belief
An optimizer is a recipe: making a new one each epoch changes nothing.

## In truth
An optimizer has memory. A new Adam starts with empty averages, and its first step moves every weight by about the full
rate, in the direction of one batch's sign.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
for _ in range(8):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Once or twice, at a phase change; optimizers without state; a model that was loaded or initialised again in between
(cross-validation, federated rounds); one optimizer per task, that is for several epochs or another loader each.

## How it decides
The variable of the loop around the line tells an epoch from a task or a phase; where it says neither, passes over
loaders do, or the number of steps.
"""

import re
from collections.abc import Iterator

from surefoot.facts import EpochEdgeFacts, StepFacts
from surefoot.rules import Evidence, History, rule

REMADE = 2  # times, where each lasted for one step or one pass over the same loader
REMADE_WITHOUT_LOADER = 3  # times, where nothing tells an epoch from a phase
SHORT_LIFE = 16  # steps, likewise
EPOCH = re.compile(r"(^|_)(ep|epochs?|batch|step|iter|iteration)(_|$)", re.IGNORECASE)
PHASE = re.compile(
    r"task|fold|split|phase|stage|round|client|seed|trial|run|restart|cycle|lr|member|model", re.IGNORECASE
)


def _is_short(lives: list[list[StepFacts]], loop: str) -> bool:
    """None lasted longer than a step, or than one pass over the data."""
    if all(len(life) == 1 for life in lives):
        return True
    if PHASE.search(loop):
        return False
    if any(EPOCH.search(variable.strip(" ()")) for variable in loop.split(",")):
        return True
    passes = [
        [e.loader for step in life for e in step.events if isinstance(e, EpochEdgeFacts) and e.edge == "start"]
        for life in lives
    ]
    if all(passes):
        shared = set(passes[0]).intersection(*passes)
        return bool(shared) and all(loaders.count(loader) == 1 for loaders in passes for loader in shared)
    lengths = [life[-1].update for life in lives]
    return not any(passes) and max(lengths) <= SHORT_LIFE and len(lives) >= REMADE_WITHOUT_LOADER


@rule("warning", on=StepFacts, probes=("setup",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    optimizer = next((o for o in past.setup.optimizers if o.id == now.optimizer), None)
    if now.update > 1 or optimizer is None or len(optimizer.ancestors) < REMADE:
        return
    lives = [[s for s in past.steps if s.optimizer == ancestor] for ancestor in optimizer.ancestors]
    lives = [life for life in lives if life]
    if len(lives) < REMADE or not _is_short(lives, optimizer.made_in_loop):
        return
    yield Evidence(
        message=(
            f"this line makes a new {optimizer.kind} over the same {sum(g.num_params for g in optimizer.groups)} "
            f"parameters again and again, {len(optimizer.ancestors) + 1} times so far; each time its state is lost"
        ),
        fix="make the optimizer once, before the loop; change its rate through param_groups or a scheduler.",
        site=optimizer.site or now.site,
        numbers={"made": len(optimizer.ancestors) + 1},
    )
