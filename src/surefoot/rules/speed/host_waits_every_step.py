"""A line reads a value from the device in every step and makes the program wait.

## What it does
Fires when a run ends in which one line read a tensor on a device such as a GPU (`.item()`, `.tolist()`, `.cpu()`,
`float()`, `print()`, an `if`) in nearly every one of at least 100 steps.

## Why it matters
Python runs ahead of a device: it puts operations into a queue while the device works on earlier ones. A value can only
be read once the queue is empty. In every step the device then has nothing to do while Python prepares the next
operations, and small models become much slower.

## Common belief
`loss.item()` only fetches one number, which costs next to nothing.

## In truth
The number is small, but it has to be computed first: the line waits for the forward, the backward and the update that
are still in the queue.

## Bad
```python
import torch

device = torch.accelerator.current_accelerator() or torch.device("cpu")
torch.manual_seed(0)
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for _ in range(120):
    x = torch.randn(16, 4, device=device)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(total / 120)
```

## Good
```python
import torch

device = torch.accelerator.current_accelerator() or torch.device("cpu")
torch.manual_seed(0)
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = torch.zeros((), device=device)
for _ in range(120):
    x = torch.randn(16, 4, device=device)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
print(total.item() / 120)
```

## When it stays silent
On a CPU, which has no queue; a line that reads now and then, as every tenth step; what torch or a library reads, as a
GradScaler does.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts
from surefoot.rules import Evidence, History, rule

STEPS = 100  # fewer may be a test run, in which waiting is cheap
SHARE = 0.95  # of the steps since the line first read: a first or last one may be left out


@rule("note", on=EndFacts, probes=("host-read",))
def check(now: EndFacts, past: History) -> Iterator[Evidence]:
    for reads in now.host_reads:
        if reads.num_steps < max(STEPS, SHARE * reads.num_since):
            continue
        yield Evidence(
            message=(
                f"this line reads a tensor on {reads.device} with {reads.what} in {reads.num_steps} of "
                f"{reads.num_since} steps, and each time waits until the device has finished all queued work"
            ),
            fix="keep the tensor (loss.detach()), sum up on the device, and read it every 50 or 100 steps.",
            site=reads.site,
            numbers={"steps": reads.num_steps, "of": reads.num_since},
        )
