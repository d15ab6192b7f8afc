"""Gradients are computed again and again, and no optimizer ever steps.

## What it does
Fires at the end of a run without a single step in which at least 8 backwards reached the parameters of an optimizer,
nothing else moved the parameters, and the program did nothing else with the gradients.

## Why it matters
The model at the end is the model at the start. The loss goes up and down with the batches, and can look like training
that has not begun to learn yet.

## Common belief
The scheduler, the scaler or the trainer steps the optimizer; or: a window of 8 micro-batches fills up sooner or later.

## In truth
Only `optimizer.step()` moves weights. A scheduler changes the rate alone. A counter of micro-batches that starts anew
with every epoch never comes to 8 where an epoch has 6.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(96, 4)
for epoch in range(4):
    for i, batch in enumerate(x.split(16)):
        loss = torch.nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True))
        (loss / 8).backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(96, 4)
num_micro_batches = 0
for epoch in range(4):
    for batch in x.split(16):
        loss = torch.nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True))
        (loss / 8).backward()
        num_micro_batches += 1
        if num_micro_batches % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## When it stays silent
The run did not come to its own end; the parameters move without the optimizer, by hand or because another process
trains them; the source reads `.grad` or has hooks on gradients, and no scheduler was advanced; the backward is for the
gradient of an input. Where other optimizers step, `parameters-not-in-optimizer` reports the one that does not.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, UnsteppedFacts
from surefoot.rules import Evidence, History, rule

ENOUGH_BACKWARDS = 8  # fewer are a smoke test


def _was_to_step(one: UnsteppedFacts, now: EndFacts) -> bool:
    is_scheduled = any(one.optimizer in schedule.drives and schedule.count for schedule in now.schedules)
    return is_scheduled or not one.reads_gradients


def _fix(one: UnsteppedFacts) -> str:
    if one.step_call is None:
        return "call optimizer.step() after backward()."
    return (
        f"see why step() in line {one.step_call.line} does not step it. Count micro-batches over the whole run, "
        "and let the window be shorter than the run."
    )


@rule("error", on=EndFacts, probes=("unstepped", "schedule"))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for one in now.unstepped if now.reason == "finished" else ():
        if one.num_backwards < ENOUGH_BACKWARDS or not _was_to_step(one, now):
            continue
        yield Evidence(
            message=(
                f"{one.num_backwards} backwards computed gradients, and the "
                f"{one.kind} that holds the parameters never stepped: they still have their initial values"
            ),
            fix=_fix(one),
            site=one.site,
            numbers={"backwards": one.num_backwards},
        )
