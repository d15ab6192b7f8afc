"""Attention ignores the tokens and attends to the padding.

## What it does
Fires when, behind a loss, attention gives no weight at all to any real token of padded sequences, and only to their
padding: the mask is inverted.

## Why it matters
No position learns anything from the other tokens, so at best the model sees each token by itself. The loss levels off
early, and in newer versions of torch not even a NaN shows why.

## Common belief
A mask is True for what counts.

## In truth
`key_padding_mask` of `nn.MultiheadAttention` and `nn.Transformer`, and `masked_fill`, take True for what is left out;
the boolean mask of `scaled_dot_product_attention` and the `attention_mask` of Hugging Face take it for what is seen.

## Bad
```python
import torch

torch.manual_seed(0)
PAD, WORDS = 0, 20
embedding = torch.nn.Embedding(WORDS, 16, padding_idx=PAD)
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
head = torch.nn.Linear(16, 2)
model = torch.nn.ModuleList([embedding, layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    lengths = torch.randint(3, 10, (16, 1))
    ids = torch.randint(1, WORDS, (16, 10)) * (torch.arange(10) < lengths)
    y = (ids == 7).any(1).long()
    hidden = layer(embedding(ids), src_key_padding_mask=ids != PAD)
    loss = torch.nn.functional.cross_entropy(head(hidden[:, 0]), y)
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
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
head = torch.nn.Linear(16, 2)
model = torch.nn.ModuleList([embedding, layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    lengths = torch.randint(3, 10, (16, 1))
    ids = torch.randint(1, WORDS, (16, 10)) * (torch.arange(10) < lengths)
    y = (ids == 7).any(1).long()
    hidden = layer(embedding(ids), src_key_padding_mask=ids == PAD)
    loss = torch.nn.functional.cross_entropy(head(hidden[:, 0]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Embeddings without `padding_idx`; batches without padding, or with the same number of padded positions in all sequences;
masks of any other kind, as causal and random ones; attention that is compiled, checkpointed or computed without a
softmax of torch, whose weights can't be read.

## How it decides
Attention of torch keeps its mask in the graph, and a softmax its weights. These are compared with the token ids of the
embedding lookups behind them: all must agree, in two batches.
"""

from collections.abc import Iterator

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

MIN_BATCHES = 2  # the padding of one may agree with another mask by chance


@rule("error", on=StepFacts, probes=("padding-mask", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    places = {part.site.place for _, part in losses(now) if part.site is not None}
    for one in now.masks:
        if one.num_batches < MIN_BATCHES or one.site is None or one.site.place not in places:
            continue
        loss = "this loss" if one.given is None else f"the loss of line {one.site.line}"
        yield Evidence(
            message=(
                f"attention behind {loss} sees padding only, in {one.num_batches} batches: in padded sequences it "
                f"leaves out every token (in the last batch {one.num_tokens}) and attends to the positions of "
                f"padding_idx={one.padding_idx} ({one.num_padding})"
            ),
            fix=f"invert the mask: key_padding_mask and masked_fill want True where ids == {one.padding_idx}.",
            site=one.given or one.site,
            numbers={"tokens": one.num_tokens, "padding": one.num_padding, "batches": one.num_batches},
        )
