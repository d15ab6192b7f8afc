"""A step uses gradients that were meant for another optimizer's step.

## What it does
Fires when an optimizer's step sums its own loss's gradients with those of an earlier loss, which another optimizer's
step had already used in between.

## Why it matters
Gradients live on parameters, not in optimizers. A generator that still carries the discriminator's gradient is pushed
both ways at once: part of each update works for its opponent.

## Common belief
Each optimizer manages its own gradients.

## In truth
Gradients live on the parameters. Every backward adds to all parameters its graph reaches, whichever optimizer they
belong to, and a step uses whatever it finds there.

## Bad
```python
import torch

torch.manual_seed(0)
G, D = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
opt_d = torch.optim.SGD(D.parameters(), lr=0.01)
opt_g = torch.optim.SGD(G.parameters(), lr=0.01)
bce = torch.nn.BCEWithLogitsLoss()
for _ in range(8):
    real, fake = torch.randn(8, 4), G(torch.randn(8, 2))
    opt_d.zero_grad()
    loss_d = bce(D(real), torch.ones(8, 1)) + bce(D(fake), torch.zeros(8, 1))
    loss_d.backward()
    opt_d.step()
    loss_g = bce(D(G(torch.randn(8, 2))), torch.ones(8, 1))
    loss_g.backward()
    opt_g.step()
    opt_g.zero_grad()
```

## Good
```python
import torch

torch.manual_seed(0)
G, D = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
opt_d = torch.optim.SGD(D.parameters(), lr=0.01)
opt_g = torch.optim.SGD(G.parameters(), lr=0.01)
bce = torch.nn.BCEWithLogitsLoss()
for _ in range(8):
    real, fake = torch.randn(8, 4), G(torch.randn(8, 2))
    opt_d.zero_grad()
    loss_d = bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    loss_d.backward()
    opt_d.step()
    loss_g = bce(D(G(torch.randn(8, 2))), torch.ones(8, 1))
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
```

## When it stays silent
Gradients cleared in between; a shared encoder whose losses are both backwarded before both steps; one loss whose
gradients a slower optimizer accumulates over several rounds of a faster one; gradient reversal.
"""

from collections.abc import Iterator

from surefoot.facts import BackwardFacts, GradientFacts, OtherStepFacts, StepFacts
from surefoot.rules import Evidence, History, rule


def _leaks(now: StepFacts, group: GradientFacts) -> Iterator[tuple[BackwardFacts, OtherStepFacts]]:
    """Backwards in the group that another optimizer's step had used before a different loss came."""
    if not group.present or group.by_hand:
        return
    inside = [b for b in now.backwards if b.ordinal in group.sources]
    for step in (e for e in now.events if isinstance(e, OtherStepFacts) and not e.skipped):
        for b in inside:
            used = b.at < step.at and any(number == step.optimizer for number, _ in b.reached)
            # The same loss again is a slower optimizer that accumulates; a different one is a leak.
            if used and any(later.at > step.at and _is_another_loss(later, b) for later in inside):
                yield b, step


def _is_another_loss(later: BackwardFacts, b: BackwardFacts) -> bool:
    """One line may backward the losses of several optimizers in turn; the later one then reaches fewer of them."""
    reaches, reached = ({number for number, _ in one.reached} for one in (later, b))
    return later.site != b.site or reaches < reached


@rule("error", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.inside_step is not None or now.closure:
        return
    leaks = {(b, step): group for group in now.gradients for b, step in _leaks(now, group)}
    if not leaks:
        return
    (b, step), group = next(iter(leaks.items()))
    num = sum(g.num_params for g in {id(g): g for g in leaks.values()}.values())
    yield Evidence(
        message=(
            f"{num} parameters ({', '.join(group.params[:3])}) step with gradients left over from the backward() at "
            f"line {b.site.line if b.site else '?'}, which belonged to the other optimizer's step at line "
            f"{step.site.line if step.site else '?'}"
        ),
        fix="call this optimizer's zero_grad() right before its own backward(), or detach() what the other loss reads.",
        site=now.site,
        numbers={"params": num, "leaked_backward_line": b.site.line if b.site else None},
    )
