"""A mask is multiplied into a loss that is already a single number.

## What it does
Fires when a loss that was averaged over all elements, or summed up over more of them than the mask has, is multiplied
by a mask of zeros and ones.

## Why it matters
The number is copied to every element that the mask keeps, and averaged to the same number again. Padding, unlabelled
pixels and finished episodes count as much as everything else, and nothing looks wrong: the mask is there.

## Common belief
Multiplying a loss by a mask leaves out the masked elements.

## In truth
It does as long as the loss has one value for each element. Loss functions average unless they are told
`reduction="none"`, and `sum()` without `dim` adds up everything: what is left has no elements to leave out.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.BCEWithLogitsLoss()
for _ in range(8):
    x = torch.randn(8, 6, 4)
    mask = (torch.arange(6) < torch.randint(2, 6, (8, 1))).float()
    loss = criterion(model(x).squeeze(-1), (x[..., 0] > 0).float())
    loss = (loss * mask).sum() / mask.sum()
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
criterion = torch.nn.BCEWithLogitsLoss(reduction="none")
for _ in range(8):
    x = torch.randn(8, 6, 4)
    mask = (torch.arange(6) < torch.randint(2, 6, (8, 1))).float()
    loss = criterion(model(x).squeeze(-1), (x[..., 0] > 0).float())
    loss = (loss * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Masks that keep or drop everything; weights other than zeros and ones; numbers that were averaged over other elements
than the mask has; sums over just as many elements as the mask has, such as the likelihood of an episode that is
multiplied by its rewards.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses


@rule("warning", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        if part.late_mask is None:
            continue
        kept, num = part.late_mask
        yield Evidence(
            message=(
                f"a loss that is one number is multiplied by a mask of {num} elements, {num - kept} of them 0: the "
                "number covers all elements, so the mask leaves out nothing"
            ),
            fix='keep the loss of each element (reduction="none", or sum(dim=-1)) until it is multiplied by the mask.',
            site=part.site,
            numbers={"elements": num, "dropped": num - kept},
        )
