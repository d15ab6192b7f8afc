"""The unfinished accumulation window at the end of an epoch is thrown away.

## What it does
Fires when a loop that steps every k micro-batches clears the last, shorter window of an epoch unused, or ends with it
unused; says how many micro-batches, and samples where they are known, are lost per epoch.

## Why it matters
Whenever the number of batches is not a multiple of k, every epoch computes gradients for the last ones and never uses
them. On small data sets with long windows that is a noticeable share of the data.

## Common belief
`if (i + 1) % k == 0: step` uses all batches.

## In truth
It uses whole windows. Unless the number of batches is a multiple of k, every epoch discards the gradients of the last
ones.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    optimizer.zero_grad()
    for i, (inputs, targets) in enumerate(loader):
        loss = torch.nn.functional.mse_loss(model(inputs), targets) / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    optimizer.zero_grad()
    for i, (inputs, targets) in enumerate(loader):
        size = 4 if i < 8 else 2  # the last window is shorter
        loss = torch.nn.functional.mse_loss(model(inputs), targets) / size
        loss.backward()
        if (i + 1) % 4 == 0 or i + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
```

## When it stays silent
The loop steps the tail; the length divides evenly; a window dropped in mid-epoch because of a bad batch; a run that
was stopped early.

## How it decides
A DataLoader ran out or started anew between the lost backwards and the clearing. Without a DataLoader, two losses of
the same size must lie the same number of steps apart, or the run must end with an unused tail of that size.
"""

from collections.abc import Iterator

from surefoot.facts import BackwardFacts, EndFacts, EpochEdgeFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.grad.window import discarded, is_touched


def _lost(now: StepFacts) -> tuple[BackwardFacts, ...]:
    """The micro-batches of a shorter window that was cleared before this one began."""
    lost, used = discarded(now), now.window
    if now.closure or not lost or len(used) < 2 or len(lost) >= len(used) or is_touched(now):
        return ()
    same_line = all(b.site is not None and b.site.place == used[0].site.place for b in (*lost, *used) if used[0].site)
    return lost if same_line and lost[-1].ordinal < used[0].ordinal else ()


def _at_epoch_edge(now: StepFacts, lost: tuple[BackwardFacts, ...]) -> bool:
    first_used = now.window[0].at
    return any(isinstance(e, EpochEdgeFacts) and lost[-1].at < e.at < first_used for e in now.events)


def _is_regular(now: StepFacts, past: History, num_lost: int) -> bool:
    """Whether windows of this size were lost before, equally far apart."""
    at = [now.update] + [s.update for s in past.of(now.optimizer) if len(_lost(s)) == num_lost]
    if len(at) == 2:
        return at[0] - at[1] == at[1] - 1
    return len(at) > 2 and at[0] - at[1] == at[1] - at[2]


def _evidence(lost: tuple[BackwardFacts, ...], size: int, now: StepFacts | None) -> Evidence:
    clear = None
    if now is not None:
        clear = next((c for c in now.clears if any(c.at == g.cleared_by for g in now.gradients)), None)
    items = [b.loss.num_items for b in lost if b.loss is not None and b.loss.num_items]
    samples = f" ({sum(items)} items)" if len(items) == len(lost) else ""
    how = "cleared unused" if now is not None else "never used"
    return Evidence(
        message=f"the last {len(lost)} micro-batches of the epoch{samples}, short of a window of {size}, are {how}",
        fix="step after the loop's last batch too, with the loss divided by the length of that last window.",
        site=clear.site if clear is not None and clear.site is not None else lost[-1].site,
        numbers={"micro_batches_lost": len(lost), "window": size, "items_lost": sum(items) if samples else None},
    )


def _check_step(now: StepFacts, past: History) -> Iterator[Evidence]:
    lost = _lost(now)
    if lost and (_at_epoch_edge(now, lost) or _is_regular(now, past, len(lost))):
        yield _evidence(lost, len(now.window), now)


def _check_end(now: EndFacts, past: History) -> Iterator[Evidence]:
    last = past.steps[-1] if past.steps else None
    if last is None or now.reason != "finished":
        return
    pending = tuple(e for e in now.tail if isinstance(e, BackwardFacts) and e.ordinal in now.pending)
    carried = any(len(s.window) > 1 and _spans_an_edge(s) for s in past.of(last.optimizer))
    size = len(last.window)
    if not pending or carried or len(pending) >= size or not all(b.site == last.window[0].site for b in pending):
        return
    before = next((s for s in past.of(last.optimizer) if len(_lost(s)) == len(pending)), None)
    if any(isinstance(e, EpochEdgeFacts) and e.edge == "end" and e.at > pending[-1].at for e in now.tail):
        yield _evidence(pending, size, None)
    elif before is not None:  # the same tail was lost before: that is how this loop ends its epochs
        yield _evidence(_lost(before), size, before)


def _spans_an_edge(step: StepFacts) -> bool:
    first, last = step.window[0].at, step.window[-1].at
    return any(isinstance(e, EpochEdgeFacts) and e.edge == "end" and first < e.at < last for e in step.events)


@rule("warning", on=(StepFacts, EndFacts), probes=("epoch",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    yield from _check_step(now, past) if isinstance(now, StepFacts) else _check_end(now, past)
