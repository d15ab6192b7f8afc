"""fp16 gradients underflow to zero because nothing scales the loss.

## What it does
Fires when training runs in fp16, by autocast or with fp16 weights, without a GradScaler, and measured steps show that
a large part of the gradient is flushed to zero.

## Why it matters
fp16 has no number between 0 and 0.00000006. Small gradients become exactly zero, in the early layers first: these
layers stop learning while the loss still falls. A GradScaler multiplies the loss so that the gradients fit into fp16,
and divides them afterwards.

## Common belief
Half precision is half precision: what trains in bf16 without a scaler trains in fp16 as well.

## In truth
bf16 has the range of fp32 with fewer digits; fp16 has more digits than bf16 but no number between 0 and 6e-8. Smaller
gradients become exactly zero, so fp16 needs a scaled loss and bf16 does not.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        error = model(x) - 1e-4 * x.sum(1, keepdim=True)
    loss = (error.float() * 1e-3).square().mean()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for _ in range(12):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        error = model(x) - 1e-4 * x.sum(1, keepdim=True)
    loss = (error.float() * 1e-3).square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
```

## When it stays silent
bf16, fp16 whose gradients are large enough, dead units and unused embedding rows (zero as a whole), runs that
underflow only once they have converged.

## How it decides
Where a gradient is cast to fp16, the elements that the cast makes zero are counted. In the gradients of weights, zeros
count when the other elements are at most four times the smallest fp16 number. Most of the first measured steps must
show it.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts, UnderflowFacts
from surefoot.rules import Evidence, History, rule

SAMPLES = 3  # measured steps before anything is said
EARLY = 16  # measured steps that count: later the run may have converged
FLUSHED = 0.5  # of the elements that are cast: the typical one is lost
SUNK = 0.25  # of the weight matrices


@rule("warning", on=StepFacts, probes=("autocast", "scaler", "underflow"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    found = now.underflow
    if found is None or now.scaler is not None or not _underflows(found):
        return
    samples = [found, *(step.underflow for step in past.of(now.optimizer) if step.underflow is not None)][-EARLY:]
    num_bad = sum(_underflows(sample) for sample in samples)
    if num_bad < SAMPLES or 2 * num_bad < len(samples):
        return
    how = "fp16 weights" if found.weights else "fp16 autocast"
    parts = []
    if found.num_flushed:
        parts.append(f"{found.num_flushed} of {found.num_cast} gradient elements became zero when cast to fp16")
    if found.num_sunk:
        names = ", ".join(found.params)
        parts.append(f"the gradients of {found.num_sunk} of {found.num_matrices} weight matrices ({names}) underflow")
    window = now.window
    yield Evidence(
        message=f"{how} without a GradScaler: {' and '.join(parts)} ({num_bad} of {len(samples)} measured steps)",
        fix="scale the loss with torch.amp.GradScaler, or train in bfloat16.",
        site=window[-1].site if window else now.site,
        numbers={
            "flushed": found.num_flushed,
            "cast": found.num_cast,
            "sunk_matrices": found.num_sunk,
            "matrices": found.num_matrices,
        },
    )


def _underflows(found: UnderflowFacts) -> bool:
    flushed = found.num_cast > 0 and found.num_flushed >= FLUSHED * found.num_cast
    return flushed or (found.num_sunk > 0 and found.num_sunk >= SUNK * found.num_matrices)
