"""Values reach the loss, but their gradient is cut off on the way.

## What it does
Fires when trainable parameters that an optimizer steps take part in the loss and yet never get a gradient, because
their values left the graph in between: `detach()`, `.data`, NumPy, `torch.tensor(...)`, `no_grad`. Other parameters,
behind the cut, do train.

## Why it matters
Everything before the cut stays at its random initial values. The parameters after it learn to make the best of that, so
the loss falls and nothing looks broken; the model is just much worse than it could be.

## Common belief
If a value reaches the loss, its gradient flows back.

## In truth
Gradients follow the graph, not the values. `.detach()`, `.data`, `.numpy()`, `torch.tensor(...)` and `no_grad` pass the
value on but end the graph.

## Bad
```python
import torch

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh())
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.02)
for _ in range(12):
    x = torch.randn(16, 4)
    features = encoder(x).detach()
    loss = torch.nn.functional.mse_loss(head(features), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh())
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.02)
for _ in range(12):
    x = torch.randn(16, 4)
    features = encoder(x)
    loss = torch.nn.functional.mse_loss(head(features), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Stop-gradient branches whose module also trains through another path, backbones frozen by `requires_grad` or left out
of the optimizer, teachers and targets that are moved by hand, straight-through estimators, values that end in a choice
or a draw (an index, a sample), which has no derivative, cuts inside a branch that the program can choose (a warm-up of
the head; not `isinstance(h, Tensor)` or `h is not None` of what is cut), and modules whose output is not part of the
loss. For an optimizer none of whose parameters get a gradient, see `backward-misses-optimizer`.

## How it decides
For parameters without a gradient the torch calls of one or two steps are followed from them to the loss. Whether they
never get one is decided at the end of the run, or after many steps. Values that went through NumPy, lists or plain
numbers are recognised by their number where torch is seen to make a tensor of them, and by being equal elsewhere, as in
`torch.FloatTensor(array)`.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts, UntrainedFacts
from surefoot.rules import Evidence, History, rule

MIN_STEPS = 3  # at the end of the run
MIN_STEPS_RUNNING = 200  # before it: a head may be warmed up first
CUTS = {
    "detach": "by detach()",
    "data": "by .data",
    "numpy": "by going through NumPy or a list",
    "copy": "by torch.tensor(), which copies",
    "no_grad": "by running without gradients",
}  # other operations are not differentiable by nature; re-entrant checkpoints have a rule of their own


@rule("warning", on=(StepFacts, EndFacts), probes=("flow",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    wanted = MIN_STEPS if isinstance(now, EndFacts) else MIN_STEPS_RUNNING
    for one in now.untrained:
        if one.num_steps < wanted or not _is_mistake(one):
            continue
        names = ", ".join(one.params[:3])
        yield Evidence(
            message=(
                f"{one.num_params} trainable parameters ({names}) take part in the loss and got no gradient in "
                f"{one.num_steps} steps: they are cut off {CUTS[one.cut_by]}"
            ),
            fix="remove the cut, or freeze them explicitly with requires_grad_(False) if they should not train.",
            site=one.site,
            numbers={"params": one.num_params, "params_that_train": one.num_trained, "steps": one.num_steps},
        )


def _is_mistake(one: UntrainedFacts) -> bool:
    return one.fate == "cut" and one.cut_by in CUTS and one.num_trained > 0 and not one.conditional and not one.moved
