"""Parameters get gradients that no optimizer ever uses.

## What it does
Fires when some parameters behind the loss get non-zero gradients, step after step, and no optimizer holds them: a head
or second model that was forgotten, a layer that was added or replaced after the optimizer was made, a backbone that was
unfrozen in the middle of training, a weight of a loss that is a plain tensor. Also when the run ends and an optimizer
that holds parameters with gradients never stepped.

## Why it matters
That part stays at its initial values. The rest learns to work around it, so that the loss may even fall: the model
is just worse than it should be, and nothing says why.

## Common belief
Whatever gets a gradient is trained.

## In truth
Backward computes gradients for everything that requires them; only what an optimizer holds moves. A part that was
unfrozen or added later belongs to none.

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
lie before those. An optimizer that has no gradient at any of its steps, while parameters that nobody holds have, was
built over the wrong network: it is named, and no other.
"""

from collections import Counter
from collections.abc import Iterator

from surefoot.facts import EndFacts, OptimizerFacts, ParameterFacts, SetupFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import misses
from surefoot.rules.optim.missing import (
    Unit,
    counted,
    get_gradients,
    missing,
    names_of,
    reaches,
    successors,
    units,
)
from surefoot.rules.optim.optimizer_holds_stale_parameters import holds_stale
from surefoot.rules.optim.purpose import has_a_past, is_left_out_on_purpose

STEPS = 3  # by then a program that updates the parameters itself has shown it


def _blamed(now: StepFacts, past: History, params: list[ParameterFacts]) -> int | None:
    """The optimizer that should hold them.

    One whose own parameters no backward reaches; else one that holds other parts of the same model; else the newest
    whose steps follow a backward that reaches them.
    """
    steps = [now, *past.steps]
    idle = [o.id for o in past.setup.optimizers if _is_over_wrong_network(o.id, steps)]
    if idle:
        return max(idle)
    kept = [p for p in past.setup.parameters if p.optimizers and p.reached and (p.requires_grad or p.trained)]
    models = {p.model for p in params if p.model is not None}
    inside = [number for p in kept if p.model in models for number in p.optimizers]
    stepping = {step.optimizer for step in steps if step.backwards and step.backwards[-1].num_unowned}
    anywhere = [number for p in kept for number in p.optimizers]
    holders = inside or [number for number in anywhere if number in stepping] or anywhere
    return max(holders, key=lambda number: (holders.count(number) if inside else 0, number), default=None)


def _is_over_wrong_network(optimizer: int, steps: list[StepFacts]) -> bool:
    """Every loss before its steps reached parameters that nobody holds, and none of its own."""
    own = [step for step in steps if step.optimizer == optimizer]
    return bool(own) and all(misses(step) and get_gradients(step) for step in own)


@rule("warning", on=(StepFacts, EndFacts), probes=("setup",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    yield from _forgotten(now, past) if isinstance(now, StepFacts) else _never_stepped(now, past)


def _forgotten(now: StepFacts, past: History) -> Iterator[Evidence]:
    setup = past.setup
    if now.update < STEPS or now.skipped or not get_gradients(now) or not (reaches(now) or misses(now)):
        return
    elsewhere = successors(setup, of_trained=True)  # parameter-replaced reports those
    params = [p for p in missing(setup) if not p.hidden_in and p.name not in elsewhere]
    if not params or _blamed(now, past, params) != now.optimizer:
        return
    found = units(params, setup)
    optimizer = next(o for o in setup.optimizers if o.id == now.optimizer)
    if misses(now):
        yield from _wrong_network(now, optimizer, found, setup)
        return
    forgotten = [unit for unit in found if not is_left_out_on_purpose(unit, found, setup)]
    yield Evidence(
        message=_message(forgotten or found, optimizer.kind),
        fix="give the optimizer these parameters too, or freeze them with requires_grad_(False) if that is intended.",
        site=optimizer.site or now.site,
        numbers={"params": sum(len(unit.params) for unit in forgotten or found)},
        level=None if forgotten else "note",
    )


def _wrong_network(
    now: StepFacts, optimizer: OptimizerFacts, found: list[Unit], setup: SetupFacts
) -> Iterator[Evidence]:
    """The gradients are in another network than the one it holds, and in one that has to be trained."""
    held = [p for p in setup.parameters if optimizer.id in p.optimizers]
    models = {p.model for p in held}
    params = [p for unit in found for p in unit.params if p.model not in models]
    is_twin = Counter(p.shape for p in held) == Counter(p.shape for p in params)
    is_new = any(not has_a_past(unit, []) for unit in found)
    if not params or not (is_twin or is_new) or holds_stale(optimizer.id, setup):
        return
    twin = ": it was built over the wrong one of two networks of the same shape" if is_twin else ""
    yield Evidence(
        message=(
            f"this {optimizer.kind} holds {names_of(held)}, without a gradient at any of its {now.update} steps; the "
            f"gradients are those of {names_of(params)}, which no optimizer holds{twin}"
        ),
        fix=f"build this optimizer over the network that its loss trains, which is the one with {params[0].name}.",
        site=optimizer.site or now.site,
        numbers={"held": len(held), "params": len(params)},
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
