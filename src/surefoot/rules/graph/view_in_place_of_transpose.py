"""A `view` or `reshape` was meant to swap dimensions.

## What it does
Fires when a `view` or `reshape` on the way to the loss keeps a dimension's size but moves it to another place, and
rows of the new shape begin inside of old ones: (batch, 6, 10) becomes (batch, 10, 6), or (batch, channels, height,
width) becomes (batch · height · width, channels). For attention it fires whenever heads and positions change places
that way.

## Why it matters
All shapes fit, and every entry holds values of others: a channel those of several moments, a position those of
other words. Models learn around it as far as they can, so the loss falls, but not as far as it could.

## Common belief
`x.view(batch, channels, time)` turns (batch, time, channels) around.

## In truth
A view keeps all values in the order in which they lie in memory and only draws the borders anew. `transpose` and
`permute` swap dimensions; after them, `reshape` puts together what lies side by side.

## Bad
```python
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(3, 10)
conv = torch.nn.Conv1d(10, 2, 3)
optimizer = torch.optim.SGD([*layer.parameters(), *conv.parameters()], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 6, 3)
    h = layer(x)
    h = h.view(16, 10, 6)
    loss = torch.nn.functional.mse_loss(conv(h).mean(2), x[:, -1, :2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(3, 10)
conv = torch.nn.Conv1d(10, 2, 3)
optimizer = torch.optim.SGD([*layer.parameters(), *conv.parameters()], lr=0.01)
for _ in range(8):
    x = torch.randn(16, 6, 3)
    h = layer(x)
    h = h.transpose(1, 2)
    loss = torch.nn.functional.mse_loss(conv(h).mean(2), x[:, -1, :2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Views that put whole rows together or take them apart, such as `view(batch, time // 2, 2 * channels)`; a flat output of
a layer, whose order means nothing before it is first viewed; views that a later one undoes; the shift of relative
positions, of whose view a slice is taken; sizes that occur twice; and, outside of attention, sizes of which one divides
the other, because such a view could also be meant to put rows together.
"""

from collections.abc import Iterator

from surefoot.facts import MovedFacts, StepFacts
from surefoot.rules import Evidence, History, rule


@rule("warning", on=StepFacts, probes=("moved",))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for one in now.moved:
        if _is_known_to_mix_samples(one, now, past):
            continue
        yield Evidence(
            message=(
                f"a tensor of shape {one.before} is viewed as {one.after}: the dimension of size {one.size} keeps its "
                "size and not its place, so that its entries now hold values of each other. A view swaps nothing"
            ),
            fix="swap dimensions with transpose or permute, and view or reshape after that.",
            site=one.site,
            numbers={"size": one.size},
        )


def _is_known_to_mix_samples(one: MovedFacts, now: StepFacts, past: History) -> bool:
    """Another rule tells that, and what it means for the predictions."""
    return any(mixed.before == one.before for step in (now, *past.steps) for mixed in step.mixed)
