"""Two optimizers step the same parameters on the same gradients.

## What it does
Fires when, again and again, an optimizer steps with gradients that another optimizer has just used, and no new
gradient came in between: both hold the same parameters.

## Why it matters
Each gradient moves the shared parameters twice, by two rules with two states: the effective rate is the sum of both,
and the momentum of each ignores the other's moves.

## Common belief
Two optimizers over one parameter share the work.

## In truth
Each takes its full step. The same gradient is applied twice, by two update rules, and neither accounts for the other.

## Bad
```python
import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.01)
head_optimizer = torch.optim.Adam(head.parameters(), lr=0.001)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(head(body(x).relu()), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    head_optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(body.parameters(), lr=0.01)
head_optimizer = torch.optim.Adam(head.parameters(), lr=0.001)
for _ in range(8):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(head(body(x).relu()), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    head_optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    head_optimizer.step()
```

## When it stays silent
Alternating phases, where each optimizer steps on gradients of its own; an optimizer that wraps another and shares its
parameters (SAM, Lookahead); fewer than three such steps.
"""

from collections.abc import Iterator

from surefoot.facts import GradientFacts, OtherStepFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.optim.missing import counted

STEPS = 3  # a shared step at a phase change happens once


def _shared(step: StepFacts) -> Iterator[tuple[OtherStepFacts, GradientFacts]]:
    """Gradients that another optimizer's step since the previous one used, and to which nothing was added since."""
    if step.inside_step is not None or step.closure or step.skipped:
        return
    steps = {e.index: e for e in step.events if isinstance(e, OtherStepFacts) and not e.skipped}
    for g in step.gradients:
        users = [steps[index] for index in g.used_by_others if index in steps]
        arrivals = [b.at for b in step.backwards if b.ordinal in g.sources]
        if g.present and users and arrivals and not g.by_hand and max(arrivals) < users[0].at:
            yield users[0], g


@rule("warning", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    shared = list(_shared(now))
    earlier = [step for step, _ in zip(past.of(now.optimizer), range(STEPS - 1), strict=False)]
    if not shared or len(earlier) < STEPS - 1 or not all(any(_shared(step)) for step in earlier):
        return
    other, _ = shared[0]
    num = sum(g.num_params for _, g in shared)
    names = ", ".join([name for _, g in shared for name in g.params][:3])
    made = {o.id: o for o in past.setup.optimizers}
    newer = made.get(max(now.optimizer, other.optimizer))
    yield Evidence(
        message=(
            f"two optimizers hold {counted(num, 'parameter')} ({names}), and both step on the same gradients: at line "
            f"{other.site.line if other.site else '?'} and at line {now.site.line if now.site else '?'}"
        ),
        fix="give each parameter to one optimizer only; use parameter groups for different settings.",
        site=(newer.site if newer is not None else None) or now.site,
        numbers={"params": num},
    )
