"""A step applies NaN or Inf to the weights.

## What it does
Fires when an optimizer steps with a gradient that holds NaN or Inf, or when weights that were finite hold NaN or Inf
at the end. Names the first bad parameter and the last good one before it, in the order in which backward reaches
them.

## Why it matters
One such step is enough: the weights it reaches become NaN, then every output and every gradient, and nothing repairs
them. The run continues to its end without an error.

## Common belief
A NaN in one batch spoils one step, and the next batches repair it.

## In truth
Nearly every operation on NaN gives NaN. Once a weight is NaN it stays NaN, and so is everything computed from it; no
later gradient repairs it.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(8):
    x = torch.randn(16, 4)
    y = x if step < 7 else model(x).detach()  # a distance of exactly zero: its root has no slope
    loss = (model(x) - y).square().sum(dim=1).sqrt().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(8):
    x = torch.randn(16, 4)
    y = x if step < 7 else model(x).detach()
    loss = ((model(x) - y).square().sum(dim=1) + 1e-8).sqrt().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Steps that a GradScaler skips, batches that the program skips itself, and custom optimizers that leave the weights alone
in that case.

## How it decides
When a loss or total norm is not finite, every gradient is checked. Otherwise all gradients are checked on the first
steps, then as often as the allowed overhead permits. If the loss was finite, the rule looks for an operation without a
finite slope on the paths to the bad gradients that pass no good one.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, NonFiniteFacts, Site, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.origin import describe


@rule("error", on=(StepFacts, EndFacts), probes=("finite",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    if isinstance(now, EndFacts):
        for found in now.non_finite:
            yield _evidence(found, _last_site(found.optimizer, past))
    elif now.non_finite is not None and not now.skipped:
        earlier = now.non_finite.step > 0
        yield _evidence(now.non_finite, _last_site(now.optimizer, past) if earlier else now.site)


def _last_site(optimizer: int, past: History) -> Site | None:
    return next((step.site for step in past.of(optimizer)), None)


def _evidence(found: NonFiniteFacts, site: Site | None) -> Evidence:
    what = " and ".join(["NaN"] * found.has_nan + ["Inf"] * found.has_inf)
    message = f"the step applies {what}: "
    if found.where == "weights":
        message = f"a step applied {what}: at the end "
    message += f"{found.where} of {found.num_bad} of {found.num_checked} parameters are not finite, "
    message += f"the first that backward reaches is {found.first_bad}"
    if found.last_good:
        message += f", just after {found.last_good}, which is finite"
    message += describe(found.birth)
    if found.finite_at:
        message += f"; step {found.finite_at} was still finite"
    return Evidence(
        message=message,
        fix="find the operation without a slope there (sqrt(0), log(0), 0/0), or skip the step when a gradient is not "
        "finite.",
        site=site,
        numbers={"bad_params": found.num_bad, "params": found.num_checked, "first_bad": found.first_bad},
    )
