"""Losses of padding are set to zero, and count in the mean all the same.

## What it does
Fires when the loss of each element is multiplied by a mask that drops the ends of rows, or ignores some targets with
`reduction="none"`, and the mean is then taken over all elements, in batches of different widths and padding.

## Why it matters
The mean is the right loss times the share of real elements. A batch that happens to hold one long text moves the
weights less than its tokens should, and the loss of different batches, or of training and validation, can't be
compared.

## Common belief
A loss of zero does not count.

## In truth
It adds nothing to the sum and 1 to the number that the sum is divided by. `CrossEntropyLoss` divides by the number of
targets that count only if it takes the mean itself.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.MSELoss(reduction="none")
for _ in range(16):
    lengths = torch.randint(2, 20, (8,))
    x = torch.randn(8, int(lengths.max()), 4)
    mask = torch.arange(x.shape[1]) < lengths.unsqueeze(1)
    loss = (criterion(model(x).squeeze(-1), x.sum(-1)) * mask).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.MSELoss(reduction="none")
for _ in range(16):
    lengths = torch.randint(2, 20, (8,))
    x = torch.randn(8, int(lengths.max()), 4)
    mask = torch.arange(x.shape[1]) < lengths.unsqueeze(1)
    loss = (criterion(model(x).squeeze(-1), x.sum(-1)) * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Batches of one width, where the mean divides by a fixed number, which may be meant; masks that drop other elements than
the ends of rows; batches of which nearly the same share is kept; means of each row's own mean; windows of several
micro-batches, which `unequal-micro-batches` looks at.
"""

from collections.abc import Iterator
from itertools import islice

from surefoot.facts import LossFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import earlier, losses

BATCHES = 4  # that are compared
SIZES = 3  # that they must have: the last batch of a pass is smaller, too
SPREAD = 0.1  # of the share that is kept: with less, every batch is scaled by about the same number


@rule("warning", on=StepFacts, probes=("loss",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    if len(now.window) > 1:
        return
    for _, part in losses(now):
        counts = [found for one in (part, *islice(earlier(past, part), BATCHES * 4)) if (found := _counts(one))]
        if _counts(part) is None or len(counts) < BATCHES or len({num for _, num in counts}) < SIZES:
            continue
        shares = [kept / num for kept, num in counts]
        if max(shares) - min(shares) < SPREAD:
            continue
        kept, num = counts[0]
        yield Evidence(
            message=(
                f"the mean is taken over {num} elements, of which {num - kept} are padding with a loss of 0: in the "
                f"{len(counts)} batches that were compared, it is the mean over real elements times "
                f"{min(shares):.2f} to {max(shares):.2f}"
            ),
            fix="divide the sum by the number of elements that count: (loss * mask).sum() / mask.sum().",
            site=part.site,
            numbers={"elements": num, "kept": kept, "smallest_share": min(shares), "largest_share": max(shares)},
        )


def _counts(loss: LossFacts) -> tuple[int, int] | None:
    """Elements that count, and those that the mean divides by, where some are left out."""
    if loss.reduction != "mean" or not loss.num_items:
        return None
    kept = loss.num_kept if loss.drops_ends else loss.num_valid if loss.num_kept is None else None
    return (kept, loss.num_items) if kept and kept <= loss.num_items else None
