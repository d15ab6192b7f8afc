"""Parameters get gradients that no optimizer ever uses.

## What it does
Fires when a part of what computes the loss gets gradients other than zero, step after step, and no optimizer holds
it: a head or second model that was forgotten, a layer that was added or replaced after the optimizer was made, a
backbone that was thawed in the middle of training, a weight of a loss that is a plain tensor. Also
when the run ends and an optimizer that holds parameters with gradients never stepped.

## Why it matters
That part stays at its initial values. The rest learns to work around it, so that the loss may even fall: the model
is just worse than it should be, and nothing says why.

## Common belief
Whatever gets a gradient is trained.

## In truth
Backward computes gradients for all that requires them; only what an optimizer holds is moved. A part that was thawed or
added later belongs to none.

## Bad
```python
import torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(4, 3), torch.nn.Linear(3, 4)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(decoder(encoder(x)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(4, 3), torch.nn.Linear(3, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(decoder(encoder(x)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Parameters of another optimizer, and those that the program updates itself (averaged teachers, target networks). It is
a note when the part seems left out on purpose: a backbone below a trained head; a model in eval mode, loaded, copied
or trained earlier; adapters, biases or prompts trained inside a larger model; normalisation layers.

## How it decides
The autograd graph tells what lies before and behind the trained parameters. What lies behind them, beside them or
came after the optimizer is seldom left out on purpose; what lies before them often is, unless it was thawed. A plain
tensor counts if it is small, stays the same one for many steps and only weighs what trained parameters computed: inputs
lie before those.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, ParameterFacts, SetupFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.optim.missing import (
    Unit,
    counted,
    get_gradients,
    missing,
    names_of,
    reaches,
    successors,
    trained,
    units,
)
from surefoot.rules.optim.purpose import is_left_out_on_purpose

STEPS = 3  # by then a program that updates the parameters itself has shown it


def _blamed(setup: SetupFacts, params: list[ParameterFacts]) -> int | None:
    """The optimizer that should hold them: one that holds other parts of the same model, else the newest."""
    kept = trained(setup)
    models = {p.model for p in params if p.model is not None}
    inside = [number for p in kept if p.model in models for number in p.optimizers]
    holders = inside or [number for p in kept for number in p.optimizers]
    return max(holders, key=lambda number: (holders.count(number) if inside else 0, number), default=None)


@rule("warning", on=(StepFacts, EndFacts), probes=("setup",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    yield from _forgotten(now, past.setup) if isinstance(now, StepFacts) else _never_stepped(now, past)


def _forgotten(now: StepFacts, setup: SetupFacts) -> Iterator[Evidence]:
    if now.update < STEPS or now.skipped or not get_gradients(now) or not reaches(now):
        return
    elsewhere = successors(setup, of_trained=True)  # parameter-replaced tells of those
    params = [p for p in missing(setup) if not p.hidden_in and p.name not in elsewhere]
    if not params or _blamed(setup, params) != now.optimizer:
        return
    found = units(params, setup)
    forgotten = [unit for unit in found if not is_left_out_on_purpose(unit, found, setup)]
    optimizer = next(o for o in setup.optimizers if o.id == now.optimizer)
    yield Evidence(
        message=_message(forgotten or found, optimizer.kind),
        fix="give the optimizer these parameters too, or freeze them with requires_grad_(False) if that is meant.",
        site=optimizer.site or now.site,
        numbers={"params": sum(len(unit.params) for unit in forgotten or found)},
        level=None if forgotten else "note",
    )


def _never_stepped(end: EndFacts, past: History) -> Iterator[Evidence]:
    if end.reason != "finished":
        return
    for optimizer in past.setup.optimizers:
        params = [p for p in past.setup.parameters if p.optimizers == (optimizer.id,) and p.reached]
        arrivals = [s for s in past.steps if any(n == optimizer.id for b in s.backwards for n, _ in b.reached)]
        if params and len(arrivals) >= STEPS and not any(p.trained or p.by_hand for p in params):
            yield Evidence(
                message=(
                    f"this {optimizer.kind} never stepped, though {counted(len(params), 'parameter')} that only it "
                    f"holds ({names_of(params)}) got gradients"
                ),
                fix="call its step() after backward(), or freeze these parameters if they are not to be trained.",
                site=optimizer.site,
                numbers={"params": len(params), "steps_of_others": past.num_steps},
            )


def _message(found: list[Unit], kind: str) -> str:
    params = [p for unit in found for p in unit.params]
    num_elements = sum(unit.num_elements for unit in found)
    late = ", made after it," if all(p.late for p in params) else ""
    return (
        f"{counted(len(params), 'parameter')} ({names_of(params)}; {counted(num_elements, 'element')}){late} "
        f"{'gets' if len(params) == 1 else 'get'} gradients, but neither this {kind} nor another optimizer uses them"
    )
