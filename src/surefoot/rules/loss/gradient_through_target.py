"""The target of a loss, or the advantage in one, carries a gradient to the network that predicts it.

## What it does
Fires in reinforcement learning when a loss compares a prediction with `reward + discount * prediction`, and both
sides have gradients to the same parameters; or when the factor of a log-probability is `return - prediction`, and its
gradient goes to the parameters of the critic. In both cases an optimizer has to use the gradient, in eight steps.

## Why it matters
The target moves towards the prediction, not only the prediction towards the target: errors propagate forward in time,
and training settles on wrong values or on none. Through an advantage, the critic is trained to minimise the policy's
loss, which takes no correct value at all.

## Common belief
The target is data: it is what the loss compares with.

## In truth
Autograd does not know which side is the target. Whatever a network computed with gradients on has them, until
`detach()` or `no_grad()`.

## Bad
```python
import torch

torch.manual_seed(0)
values = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(values.parameters(), lr=0.05)
for _ in range(24):
    state, following = torch.randn(16, 4), torch.randn(16, 4)
    reward = state.sum(1, keepdim=True).tanh()
    target = reward + 0.9 * values(following)
    loss = torch.nn.functional.mse_loss(values(state), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
values = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(values.parameters(), lr=0.05)
for _ in range(24):
    state, following = torch.randn(16, 4), torch.randn(16, 4)
    reward = state.sum(1, keepdim=True).tanh()
    with torch.no_grad():
        target = reward + 0.9 * values(following)
    loss = torch.nn.functional.mse_loss(values(state), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
No name in the program mentions rewards or actions, or one mentions a residual: minimising Bellman residuals needs both
gradients. Also where the two sides are of different networks, where nothing is discounted, and where the gradient is
cleared before the critic's optimizer steps.
"""

from collections.abc import Iterator

from surefoot.facts import LiveTargetFacts, StepFacts
from surefoot.rules import Evidence, History, rule

STEPS = 8  # in which it was used: not only in a first phase


@rule("warning", on=StepFacts, probes=("live-target",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for found in now.live_targets:
        if found.num_windows < STEPS:
            continue
        yield Evidence(
            message=_message(found),
            fix=(
                "compute the target under no_grad(), or by a target network."
                if found.kind == "target"
                else "multiply by advantage.detach(); the critic has its own loss."
            ),
            site=found.site or now.site,
            numbers={"params": found.num_params, "discount": found.discount},
        )


def _message(found: LiveTargetFacts) -> str:
    names = ", ".join(found.params[:2]) + (", …" if found.num_params > 2 else "")
    if found.kind == "target":
        return (
            f"the target of this loss, … + {found.discount:.3g} * prediction, carries a gradient to {names}: "
            "the same parameters that the prediction is computed with"
        )
    return f"an advantage that the loss multiplies carries a gradient to {names}, and a step used it"
