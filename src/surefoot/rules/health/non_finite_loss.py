"""The loss is NaN or infinite.

## What it does
Fires when a step uses the gradient of a loss that was not finite.

## Why it matters
A loss that is not finite has no useful gradient: one such step can turn all weights into NaN. Even where the gradients
happen to stay finite, as when the NaN comes from a mean over nothing, every average that includes it is lost.

## Common belief
If the loss is NaN, the gradients are NaN and the step shows it.

## In truth
Gradients can be finite all the same, for example where a mask stops the NaN, and the run continues with a meaningless
loss. The loss needs a check of its own.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(8):
    x = torch.randn(16, 4)
    mean, spread = model(x).unbind(1)
    rare = x[:, 0] > (9 if i == 5 else 0)
    loss = (mean - x.sum(1)).pow(2).mean() + spread[rare].pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(8):
    x = torch.randn(16, 4)
    mean, spread = model(x).unbind(1)
    rare = x[:, 0] > (9 if i == 5 else 0)
    loss = (mean - x.sum(1)).pow(2).mean() + spread[rare].pow(2).sum() / max(1, int(rare.sum()))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Batches whose gradients are dropped before the step, steps that a GradScaler skips, and a mean over no valid target,
which has a rule of its own.

## How it decides
By the value of the loss. Where it came from is read off the graph behind the loss, which still holds much of what the
operations were given: the search follows non-finite values from the loss backwards, up to the operation whose inputs
are finite. That operation is named only if its inputs are known to be finite; where they are not kept, the message says
in whose result the bad value is first seen. Bad data, targets, masks and weights are named as such.
"""

import math
from collections.abc import Iterator

from surefoot.facts import BackwardFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.origin import describe


def _is_bad(backward: BackwardFacts) -> bool:
    if backward.value is None or math.isfinite(backward.value):
        return False
    return not any(part.num_valid == 0 for part in (backward.loss.parts if backward.loss is not None else ()))


def _cause(backward: BackwardFacts) -> str:
    if backward.birth is not None and backward.birth.where not in ("input", "seen"):
        return describe(backward.birth)
    bad = {what for part in (backward.loss.parts if backward.loss is not None else ()) for what in part.bad}
    if "target" in bad:
        return "; its targets hold NaN or Inf"
    if backward.birth is not None:
        return describe(backward.birth)
    return "; the model's output holds NaN or Inf" if "input" in bad else ""


def _origin(backward: BackwardFacts) -> dict[str, str]:
    birth = backward.birth
    return {} if birth is None else {"module": birth.module, "operation": birth.operation}


def _last_good(past: History, bad: BackwardFacts) -> tuple[int, float] | None:
    for step in reversed(past.steps):
        for b in reversed(step.backwards):
            if b.site == bad.site and b.value is not None and math.isfinite(b.value):
                return step.index, b.value
    return None


@rule("error", on=StepFacts, probes=("loss",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if now.skipped:
        return
    for backward in now.window:
        if not _is_bad(backward):
            continue
        good = _last_good(past, backward)
        before = "" if good is None else f"; it was {good[1]:.3g} at step {good[0]}"
        yield Evidence(
            message=f"the loss is {backward.value} at step {now.index}{_cause(backward)}{before}",
            fix="look for empty means, logarithms and divisions of 0; or skip such batches before backward().",
            site=(backward.loss.site if backward.loss is not None else None) or backward.site,
            numbers={
                "value": str(backward.value),
                "step": now.index,
                "backward_line": backward.site.line if backward.site else None,
                **_origin(backward),
            },
        )
        return
