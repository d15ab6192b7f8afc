"""Gradients of all but the last micro-batch are cleared before the step uses them.

## What it does
Fires when an optimizer steps once every k backwards of one line, but the gradients of k-1 of them are cleared unused,
window after window.

## Why it matters
The program pays for k micro-batches and learns from one. The effective batch is k times smaller than meant, and with
a loss divided by k the update is k times too small as well.

## Common belief
Clearing gradients in every iteration is always right.

## In truth
Clear once per update. Clearing between the micro-batches of one window discards all but the last.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(32):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(32):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## When it stays silent
A batch skipped now and then; steps that a GradScaler skipped; backwards from different lines or callers (SAM, PGD);
closures; gradients that the program collects and writes back itself (per-sample clipping); optimizers that take turns
at the blocks of one model; the unfinished window at an epoch's end, which has a rule of its own.
"""

from collections.abc import Iterator

from surefoot.facts import BackwardFacts, OtherStepFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import discarded, is_touched

IN_A_ROW = 2  # windows that lose the same share; once may be a batch dropped on purpose


def _trained_another(batch: BackwardFacts, step: StepFacts) -> bool:
    """Whether another optimizer stepped with it: they take turns, block by block."""
    for other in (e for e in step.events if isinstance(e, OtherStepFacts) and not e.skipped):
        before = [b for b in step.backwards if b.at < other.at and other.optimizer in dict(b.reached)]
        if before and before[-1].ordinal == batch.ordinal:
            return True
    return False


def _num_lost(step: StepFacts) -> int:
    """How many micro-batches were cleared while the step used only the last one."""
    lost, used = [b for b in discarded(step) if not _trained_another(b, step)], step.window
    if step.skipped or step.closure or len(used) != 1 or not lost or is_touched(step):
        return 0
    same_line = all(b.site == used[0].site for b in lost)
    before = all(b.ordinal < used[0].ordinal for b in lost)
    return len(lost) if same_line and before and used[0].site is not None else 0


@rule("error", on=StepFacts)
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    num_lost = _num_lost(now)
    if not num_lost or now.update < IN_A_ROW:
        return
    before = next(past.of(now.optimizer), None)
    if before is None or _num_lost(before) != num_lost:
        return
    clear = next((c for c in reversed(now.clears) if any(c.at == g.cleared_by for g in now.gradients)), None)
    size = num_lost + 1
    yield Evidence(
        message=f"{num_lost} of the {size} micro-batches of each step are cleared before step() uses them",
        fix="clear once per step, right after step(), not before every backward().",
        site=clear.site if clear is not None and clear.site is not None else now.site,
        numbers={"micro_batches": size, "lost": num_lost, "share_used": round(1 / size, 4)},
    )
