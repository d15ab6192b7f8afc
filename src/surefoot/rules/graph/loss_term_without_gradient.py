"""A term is added to the loss, but no gradient flows through it.

## What it does
Fires when the loss that is backwarded is a sum, and one addend was computed from the trained parameters in a way that
ends the gradient: under `no_grad`, through `torch.tensor(...)` or NumPy, or by an operation without a derivative.

## Why it matters
The reported loss includes the term, the gradient does not: the model is not trained for it. Changing its weight moves
the curve and nothing else.

## Common belief
Everything added to the loss is minimised.

## In truth
Backward follows the graph, not the number. A term without a graph is a constant to it, however large.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(16):
    x = torch.randn(16, 4)
    penalty = torch.tensor(model.weight.abs().sum().item())
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) + 0.01 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(16):
    x = torch.randn(16, 4)
    penalty = model.weight.abs().sum()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) + 0.01 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
An addend that the program detaches by `detach()`, unless what was detached is the input of a loss function of torch;
what is subtracted, which may be a baseline; an addend that does not depend on trained parameters, such as a term of the
data or of a teacher; one that is always 0 or always the same; a number that other parts of the loss use as well, as the
maximum in a hand-written log-sum-exp; a cut in a branch.

## How it decides
Values are followed from the parameters to the loss in three windows, only if the graph of the loss shows a sum with an
addend that has no gradient. The addend must be there each time, with different values.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule

WAYS = {
    "no_grad": "under no_grad()",
    "numpy": "through plain numbers",
    "copy": "by a copy",
    "data": "by .data",
    "detach": "by detach()",
}


@rule("warning", on=StepFacts, probes=("terms",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for term in now.dead_terms:
        if term.is_of_prediction:  # prediction-without-gradient
            continue
        values = ", ".join(f"{value:.3g}" for value in term.values)
        yield Evidence(
            message=(
                f"a term of the loss ({values} in {len(term.values)} steps) is computed from trained parameters, "
                f"but its gradient ends here, {_way(term.cut_by)}"
            ),
            fix=_fix(term.cut_by),
            site=term.site or now.site,
            numbers={"cut_by": term.cut_by},
        )


def _way(cut_by: str) -> str:
    return WAYS.get(cut_by, f"in {cut_by.strip('_')}, which has none")


def _fix(cut_by: str) -> str:
    if cut_by == "detach":
        return "take detach() away; if the term is only to be logged, detach() its result or leave it out of the sum."
    return "compute the term by differentiable operations, with gradients on; or detach() it if that is intended."
