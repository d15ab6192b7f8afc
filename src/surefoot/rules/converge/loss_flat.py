"""The loss has not moved since the start.

## What it does
Looks for a trend of the loss from the first step on. If there is none after a few hundred updates, it runs the
practical checks: learning rate, gradient norms, update sizes, train or eval mode, outputs that do not depend on the
input. It warns when gradients are missing or vanishing and notes everything else.

## Why it matters
A model that learns at all shows it within a few hundred updates. Waiting does not help; checking what feeds the loss
does.

## Common belief
A loss that does not move needs more epochs.

## In truth
A loss that is flat from the first hundreds of updates on means that something is broken: rate, gradient, mode or
wiring. More epochs repeat the same.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1), torch.nn.Sigmoid())
torch.nn.init.constant_(model[2].bias, -60.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(240):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(x), (x[:, :1] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1), torch.nn.Sigmoid())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(240):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(x), (x[:, :1] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Losses that have moved; programs with several optimizers. A flat loss with healthy gradients is only noted: policy
gradients, energies and balanced games are flat by nature.
"""

from collections.abc import Iterator
from statistics import median

from surefoot.facts import SignalFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.course import Course, layers, update_ratio

WARM_UP = 200  # updates
FEWEST = 64  # sampled steps
NO_GRADIENT = 1e-8  # relative to the weights
NO_MOVE = 1e-6
SAME = 1e-3  # variation of the outputs


def _is_flat(losses: list[float]) -> bool:
    """First and last quarter differ by less than the losses of one quarter do."""
    quarter = len(losses) // 4
    first, last = losses[:quarter], losses[-quarter:]
    middle = median(first)
    scatter = max(median(abs(loss - middle) for loss in part) for part in (first, last))
    return abs(median(last) - middle) <= max(0.5 * scatter, 1e-6 * abs(middle))


def _has_no_gradient(course: Course) -> bool:
    seen = [p.relative_gradient or 0.0 for step in course.last(FEWEST // 2) for p in layers(step) or step.matrices]
    return bool(seen) and max(seen) < NO_GRADIENT


def _checks(now: SignalFacts) -> list[str]:
    """What else may be the reason."""
    found = []
    ratio = update_ratio(now)
    if ratio is not None and ratio < NO_MOVE:
        found.append(
            f"updates are {ratio:.0e} of the weights; the learning rate is {', '.join(f'{lr:g}' for lr in now.lrs)}"
        )
    if now.in_eval:
        found.append("the model is in eval mode")
    found += [f"{a.module} outputs the same for every row" for a in now.activations if a.is_last and a.variation < SAME]
    return found


@rule(
    "warning",
    on=SignalFacts,
    probes=("signals",),
    follows=(
        "backward-misses-optimizer",
        "optimizer-holds-stale-parameters",
        "loss-detached-from-model",
        "all-gradients-zero",
    ),
)
def check(now: SignalFacts, past: History) -> Iterator[Evidence]:
    if now.update < WARM_UP or past.num_sampled_optimizers > 1:
        return
    course = Course(now, past)
    losses = [step.loss for step in course.steps if step.loss is not None]
    if len(losses) < FEWEST or not _is_flat(losses):
        return
    missing, others = _has_no_gradient(course), _checks(now)
    seen = f"the gradient norm is {now.grad_norm:.1e}" + ", negligible next to the weights" * missing
    yield Evidence(
        message=f"the loss is {median(losses[-16:]):.4g} after {now.update} updates, as at the start; "
        + "; ".join([seen, *others]),
        fix="find what cuts the gradient off: a saturated output, weights too large, a loss without the model."
        if missing
        else "check whether the model can overfit one batch; check labels, rate and loss.",
        site=now.site,
        numbers={"loss": median(losses[-16:]), "grad_norm": now.grad_norm, "lrs": list(now.lrs), "found": others},
        level=None if missing else "note",
    )
