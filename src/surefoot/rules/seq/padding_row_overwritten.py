"""The embedding of padding is no longer zero.

## What it does
Fires when a function of `nn.init` has filled the weight of an embedding with `padding_idx`, the row of the padding
included, and the loss depends on padding that is looked up there.

## Why it matters
Padding then looks like a word, and adds a vector to sums and means over a sequence at each padded position. It is never
trained away, because `padding_idx` keeps that row from getting a gradient; so what the model says of a text depends on
how long the others in its batch are.

## Common belief
`padding_idx` makes the embedding of padding zero.

## In truth
It makes the row zero once, when the layer is made, and keeps gradients from it. An initialisation of all weights
afterwards fills it like any other row.

## Bad
```python
import torch

torch.manual_seed(0)
PAD, WORDS = 0, 20
embedding = torch.nn.Embedding(WORDS, 16, padding_idx=PAD)
head = torch.nn.Linear(16, 2)
model = torch.nn.ModuleList([embedding, head])
for parameter in model.parameters():
    if parameter.dim() > 1:
        torch.nn.init.xavier_uniform_(parameter)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    lengths = torch.randint(3, 11, (16, 1))
    ids = torch.randint(1, WORDS, (16, 10)) * (torch.arange(10) < lengths)
    y = (ids == 7).any(1).long()
    loss = torch.nn.functional.cross_entropy(head(embedding(ids).sum(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
PAD, WORDS = 0, 20
embedding = torch.nn.Embedding(WORDS, 16, padding_idx=PAD)
head = torch.nn.Linear(16, 2)
model = torch.nn.ModuleList([embedding, head])
for parameter in model.parameters():
    if parameter.dim() > 1:
        torch.nn.init.xavier_uniform_(parameter)
with torch.no_grad():
    embedding.weight[PAD].zero_()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    lengths = torch.randint(3, 11, (16, 1))
    ids = torch.randint(1, WORDS, (16, 10)) * (torch.arange(10) < lengths)
    y = (ids == 7).any(1).long()
    loss = torch.nn.functional.cross_entropy(head(embedding(ids).sum(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Rows that were set to zero again, loaded, copied from pretrained vectors or written in any other way than by `nn.init`
or a function that is given to `apply`; padding that is masked, packed or otherwise has no influence on what the loss
counts; batches without padding.

## How it decides
What `nn.init` or `apply` wrote is compared with the weight when it is first seen behind a loss: it must be the same,
bit for bit. A vector-Jacobian product tells whether the loss depends on padded positions.
"""

from collections.abc import Iterator

from surefoot.facts import PaddingRowFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses


def _writer(one: PaddingRowFacts) -> str:
    return f"nn.init.{one.function}" if one.function else "the function given to apply()"


@rule("warning", on=StepFacts, probes=("padding-row", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    places = {part.site.place for _, part in losses(now) if part.site is not None}
    for one in now.padding_rows:
        if one.loss is None or one.loss.place not in places:
            continue
        yield Evidence(
            message=(
                f"{_writer(one)} overwrote row {one.padding_idx} of {one.name}, which is that of padding "
                f"(padding_idx={one.padding_idx}) and was zero: its norm is {one.norm:.3g}, and the loss depends on "
                f"padded positions"
            ),
            fix=f"set the row to zero again after the initialisation: with torch.no_grad(): "
            f"weight[{one.padding_idx}].zero_().",
            site=one.site or one.loss,
            numbers={"padding_idx": one.padding_idx, "norm": one.norm},
        )
