"""Backward computes gradients, and all of them are exactly zero.

## What it does
Fires when every gradient of an optimizer's first 20 steps is exactly 0 although the loss is not; when parameters get
nothing but zeros because `round()`, `sign()` or a softmax over a single score stands between them and the loss; when
two consecutive layers have weights of 0, so neither gets a gradient; when one direction of a bidirectional
recurrent layer, or all that it carries from position to position, gets nothing but zeros; and, at any step, when all
gradients are clipped to a limit of 0.

## Why it matters
A gradient of zeros looks like a gradient: nothing is `None`, nothing crashes, and optimizers step. The weights stay
where they are, or shrink by weight decay.

## Common belief
Anything with a `grad_fn` that gets a gradient is trained.

## In truth
The derivative of a step function, of a clamp outside its limits and of a ReLU below zero is 0, and autograd passes on
exactly that. A softmax over one score is 1 whatever the score. Of two layers of zeros in a row, the first never gets a
gradient and the second never gets an input.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(24):
    x = torch.randn(16, 4)
    predicted = torch.round(model(x))
    loss = torch.nn.functional.mse_loss(predicted, x.sum(1, keepdim=True).round())
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
for _ in range(24):
    x = torch.randn(16, 4)
    predicted = model(x)
    loss = torch.nn.functional.mse_loss(predicted, x.sum(1, keepdim=True).round())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
A loss of 0, such as a hinge that is satisfied; gradients that were other than 0 at any step, such as those of gates
that start at 0; attention to a single key or over a single position; gradients that another optimizer gets from the
same loss; idle experts, heads and units; straight-through estimators; gradients that were cleared or written by hand;
fp16, which has a rule of its own (`fp16-without-scaler`).
"""

from collections.abc import Iterator
from itertools import islice
from math import isfinite

from surefoot.facts import Site, StepFacts, ZeroGradientFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.clip.limit import limiting, name_of

STEPS = 20  # the first ones: gates that start at 0 open within a few
ENDS = {  # operations that are flat somewhere, by what autograd calls them
    "Relu": "relu", "LeakyRelu": "leaky_relu", "Threshold": "threshold", "Clamp": "clamp", "ClampMin": "clamp",
    "ClampMax": "clamp", "Hardtanh": "hardtanh", "Hardsigmoid": "hardsigmoid", "Softmax": "softmax",
    "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "Tanh": "tanh",
}  # fmt: skip
STEPWISE = ("round", "floor", "ceil", "trunc", "sign")
OVER_ONE = {"softmax": 1, "log_softmax": 0}  # over a dimension of size one, and what it always is


@rule("warning", on=StepFacts, probes=("zeros",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for zeros in now.zero_gradients:
        if zeros.num_steps != STEPS or not _is_plain(now, past):
            continue
        message, fix = _describe(zeros)
        yield Evidence(
            message=message,
            fix=fix,
            site=zeros.site or _backward(now),
            numbers={"params": zeros.num_params, "steps": zeros.num_steps},
        )

    for clip in limiting(now):
        if clip.max_norm == 0 and clip.optimizers == (now.optimizer,) and clip.num_fresh == _num_gradients(now):
            yield Evidence(
                message=f"{name_of(clip)} with a limit of 0 made all {clip.num_fresh} gradients 0 before the step",
                fix="remove the call if nothing should be clipped: a limit of 0 does not mean no limit.",
                site=clip.site,
                numbers={"params": clip.num_fresh, "limit": 0.0},
            )


def _num_gradients(now: StepFacts) -> int:
    return sum(g.num_params for g in now.gradients if g.present)


def _is_plain(now: StepFacts, past: History) -> bool:
    """Whether all these steps used what backward computed of losses that were not 0."""
    return all(
        not step.skipped
        and step.backwards
        and all(b.value and isfinite(b.value) and b.autocast_dtype != "float16" for b in step.backwards)
        and all(g.sources and not g.by_hand for g in step.gradients if g.present)
        for step in (now, *islice(past.of(now.optimizer), STEPS - 1))
    )


def _backward(now: StepFacts) -> Site | None:
    return now.backwards[-1].site or now.site


def _describe(zeros: ZeroGradientFacts) -> tuple[str, str]:
    names, num = ", ".join(zeros.params[:3]), zeros.num_steps
    only = f"got a gradient of exactly 0 in each of the {num} steps so far"
    layer = f"the {zeros.direction} direction of a bidirectional {zeros.module}"
    if zeros.kind == "direction":
        return (
            f"{layer} ({names}) {only}: the loss does not depend on its output",
            "use both directions: torch.cat([h_n[-2], h_n[-1]], dim=1) are the last states of both.",
        )
    if zeros.kind == "recurrence":
        end = "last" if zeros.direction == "reverse" else "first"
        return (
            f"{names} {only}: in {layer} the loss reaches the "
            f"{end} position only, where this direction has seen a single element",
            "use torch.cat([h_n[-2], h_n[-1]], dim=1), the last states of both directions.",
        )
    if zeros.kind == "closed":
        return (
            f"the weights {names} are 0 and {only}: they follow each other, so the first waits for "
            "a gradient through the second, and the second for an output of the first",
            "start at most one of them at 0: leave the others at torch's own initialisation.",
        )
    them = f"all {zeros.num_params} parameters with a gradient" if zeros.kind == "every" else "parameters"
    if zeros.ended_in in STEPWISE:
        return (
            f"{them} ({names}) {only}: the loss depends on them through {zeros.ended_in}(), which is flat",
            f"leave {zeros.ended_in}() out of the loss, or pass its gradient straight through: "
            f"x + ({zeros.ended_in}(x) - x).detach().",
        )
    if zeros.ended_in in OVER_ONE:
        return (
            f"{them} ({names}) {only}: the loss depends on them through a {zeros.ended_in} over a dimension of size "
            f"1, which is {OVER_ONE[zeros.ended_in]} whatever they are",
            "give the softmax the dimension whose entries compete; for one score alone use a sigmoid.",
        )
    end = f"; it ends in {ENDS[zeros.ended_in]}(), which passes on zeros" if zeros.ended_in in ENDS else ""
    return (
        f"{them} ({names}) {only}, though the loss is not 0{end}",
        "look for what makes the output flat: a clamp or ReLU at its limit, a softmax over one value, weights of 0.",
    )
