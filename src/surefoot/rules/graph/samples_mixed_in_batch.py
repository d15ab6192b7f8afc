"""A prediction is computed from other samples of its batch.

## What it does
Fires when the prediction of one sample is computed from other samples, because a `view` or `reshape` redistributes the
batch, as `view(time, batch, features)` does to a tensor of shape (batch, time, features), because a recurrent layer or
attention mistakes the batch for time, or because a softmax runs over the samples of several branches that are stacked.

## Why it matters
Each sample is scored on the features of its neighbours, which change with every shuffle. The model can only learn the
average. Nothing fails, because all shapes fit.

## Common belief
`view(time, batch, features)` swaps the first two dimensions of (batch, time, features).

## In truth
A view keeps all values in memory order and only regroups them. `transpose` and `permute` swap dimensions. Recurrent,
attention and transformer layers of torch take (time, batch, features) unless `batch_first=True` is set.

## Bad
```python
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(6, 12)
head = torch.nn.Linear(12, 3)
model = torch.nn.ModuleList([layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4, 6)
    y = x.mean(1)[:, :3].argmax(1)
    h = torch.relu(layer(x))
    h = h.view(4, 16, 12)
    loss = torch.nn.functional.cross_entropy(head(h.mean(0)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(6, 12)
head = torch.nn.Linear(12, 3)
model = torch.nn.ModuleList([layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 4, 6)
    y = x.mean(1)[:, :3].argmax(1)
    h = torch.relu(layer(x))
    h = h.transpose(0, 1)
    loss = torch.nn.functional.cross_entropy(head(h.mean(0)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Batch-norm, contrastive losses, attention over samples, graph networks, mixed-up features and whatever else compares
samples by computing with them; tensors that have time first; views that keep samples apart; several views in a row, of
which one may put the other right. A batch as large as another dimension can't be told from it, and is left alone.

## How it decides
For two predictions a vector-Jacobian product is read at the view. Behind it, each depends on its own entry alone;
before it, on other samples. A layer takes the batch for time if each prediction is read at its own moment: of one
sequence alone, or of as many as its sample has tokens. Attention over samples beside attention over something else is
taken to be meant.
"""

from collections.abc import Iterator

from surefoot.facts import MixedFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

VIEW_FIX = "swap dimensions with transpose or permute, and view or reshape after that."
SOFTMAX_FIX = "give the softmax the dimension of what competes: the branches, the classes, the positions."
TIME_FIX = "pass batch_first=True to the layer, or give it (time, batch, features)."
FIXES = {"view": VIEW_FIX, "softmax": SOFTMAX_FIX}


@rule("error", on=StepFacts, probes=("mixed", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    places = {part.site.place for _, part in losses(now) if part.site is not None}
    for one in now.mixed:
        if one.site is not None and one.site.place in places:
            yield Evidence(
                message=_seen(one),
                fix=FIXES.get(one.cause, TIME_FIX),
                site=one.site,
                numbers={"sample": one.sample, "samples": one.num_others},
            )


def _seen(one: MixedFacts) -> str:
    if one.cause == "softmax":
        return (
            f"a softmax runs over the {one.after[0]} samples of the batch: each of its weights depends on all samples, "
            f"and the prediction of sample {one.sample} uses those of sample {one.sample}"
        )
    if one.cause == "attention":
        return (
            f"attention runs over the samples of the batch: it has {one.after[0]} positions and a batch of "
            f"{one.after[1]}, and the prediction of sample {one.sample} is its output at position {one.sample}"
        )
    if one.cause == "time":
        return (
            f"a recurrent layer runs over the samples of the batch: it has {one.after[0]} steps and a batch of "
            f"{one.after[1]}, and the prediction of sample {one.sample} is its output at step {one.sample}"
        )
    more = ", …" if one.num_others > len(one.others) else ""
    samples = ", ".join(map(str, one.others)) + more
    return (
        f"the prediction of sample {one.sample} is computed from samples {samples} of its batch: a tensor "
        f"of shape {one.before} is viewed as {one.after}, which does not swap dimensions"
    )
