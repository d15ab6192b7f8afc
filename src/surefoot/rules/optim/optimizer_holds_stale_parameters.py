"""An optimizer holds the parameters of an older copy of the model.

## What it does
Fires when none of an optimizer's parameters gets a gradient, step after step, while a model that came after the
optimizer gets them all: it was recreated, deep-copied, unpickled or converted when the optimizer already existed.

## Why it matters
The optimizer updates tensors that no longer belong to the model. The model that runs in forward keeps its initial
weights: the loss does not move, and nothing says why.

## Common belief
The optimizer belongs to the model and follows when the model is recreated.

## In truth
It holds tensors. A deep copy, a new model or a reload creates others, and the optimizer keeps updating the old ones.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model = torch.nn.Linear(4, 1)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    model.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    model.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Alternating training; gradients copied over by hand, as in first-order meta-learning; a model given to the wrong
optimizer although both existed before it (see `backward-misses-optimizer`).

## How it decides
The optimizer's parameters are in no live module any more, or the parameters that get the gradients have the same
shapes and belong to modules that did not exist when the optimizer was made.
"""

from collections import Counter
from collections.abc import Iterator

from surefoot.facts import SetupFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.optim.missing import get_gradients, missing, names_of, reaches, successors

STEPS = 2  # in a row; one may be a slip, such as a step taken before the first backward


def holds_stale(optimizer: int, setup: SetupFacts) -> bool:
    """All its parameters are leftovers: of no module, or doubled by those of a later model."""
    held = [p for p in setup.parameters if optimizer in p.optimizers]
    live = [p for p in missing(setup) if p.name not in successors(setup, of_trained=True)]  # parameter-replaced's
    if not held or not live:
        return False
    if all(p.model is None and p.had_home for p in held):
        return True
    gone = all(p.model is None for p in held)
    doubles = Counter(p.shape for p in live if p.late or gone)
    return not Counter(p.shape for p in held) - doubles


def _misses(step: StepFacts) -> bool:
    idle = not any(g.present and (g.sources or g.by_hand) for g in step.gradients)
    return idle and not reaches(step) and get_gradients(step)


@rule("error", on=StepFacts, probes=("setup",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    recent = [now, *(step for step, _ in zip(past.of(now.optimizer), range(STEPS - 1), strict=False))]
    if len(recent) < STEPS or not all(map(_misses, recent)) or not holds_stale(now.optimizer, past.setup):
        return
    optimizer = next(o for o in past.setup.optimizers if o.id == now.optimizer)
    live = missing(past.setup)
    num_held = sum(g.num_params for g in now.gradients)
    yield Evidence(
        message=(
            f"the {num_held} parameters of this {optimizer.kind} get no gradient; {len(live)} others "
            f"({names_of(live)}) get them and no optimizer holds those: the model was replaced after the optimizer "
            "was made"
        ),
        fix="make the optimizer after the last line that makes, copies, wraps or converts the model.",
        site=optimizer.site or now.site,
        numbers={"held": num_held, "live": len(live)},
    )
