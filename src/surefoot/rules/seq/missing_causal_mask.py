"""A model that must predict the next token can see it.

## What it does
Fires when the targets of cross-entropy or NLL loss are the model's own input moved by one position, and the prediction
of a token depends on that token: the graph leads from it to the input behind it.

## Why it matters
The model learns to look up the answer. The loss falls far below what the text allows, and generation fails, because
there is nothing to look up.

## Common belief
A transformer reads from left to right.

## In truth
Attention sees every position unless a mask forbids it: `nn.TransformerEncoderLayer`, `nn.MultiheadAttention` and
`scaled_dot_product_attention` have none of their own. A bidirectional recurrent layer sees what follows as well.

## Bad
```python
import torch

torch.manual_seed(0)
WORDS, LENGTH = 20, 12
embedding = torch.nn.Embedding(WORDS, 16)
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
head = torch.nn.Linear(16, WORDS)
model = torch.nn.ModuleList([embedding, layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    text = torch.randint(0, WORDS, (16, LENGTH + 1))
    scores = head(layer(embedding(text[:, :-1])))
    loss = torch.nn.functional.cross_entropy(scores.reshape(-1, WORDS), text[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
WORDS, LENGTH = 20, 12
embedding = torch.nn.Embedding(WORDS, 16)
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
head = torch.nn.Linear(16, WORDS)
model = torch.nn.ModuleList([embedding, layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
mask = torch.nn.Transformer.generate_square_subsequent_mask(LENGTH)
for _ in range(12):
    text = torch.randint(0, WORDS, (16, LENGTH + 1))
    scores = head(layer(embedding(text[:, :-1]), src_mask=mask, is_causal=True))
    loss = torch.nn.functional.cross_entropy(scores.reshape(-1, WORDS), text[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Targets that are not the next tokens of the input; masked language models; encoders of a model whose decoder is causal;
autoencoders that pass the text through one code; models with batch or group norm, whose statistics are of all
positions; embeddings that are frozen, and models that are compiled or checkpointed, whose graph can't be read.

## How it decides
The ids of an embedding lookup are taken from the graph behind the loss and compared with the targets. A
vector-Jacobian product for each of two predictions shows which positions they depend on.
"""

from collections.abc import Iterator

from surefoot.facts import ReadFacts, SequenceFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.seq.sequence_losses import backwarded

MIN_READS = 2  # predictions that were looked at


@rule("error", on=StepFacts, probes=("sequence", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for one in backwarded(now):
        if not _looks_ahead(one):
            continue
        read = one.reads[-1]
        yield Evidence(
            message=(
                f"targets are the model's input moved by one position, and the prediction of the token at position "
                f"{read.target} depends on the input up to position {read.latest} of {read.length}, "
                f"so on that token itself"
            ),
            fix=_fix(read),
            site=one.site,
            numbers={"target": read.target, "latest": read.latest, "length": read.length},
        )


def _looks_ahead(one: SequenceFacts) -> bool:
    if [offset for offset, _ in one.offsets] != [1] or len(one.reads) < MIN_READS:
        return False
    return all(read.row < read.target <= read.latest and read.is_per_position for read in one.reads)


def _fix(read: ReadFacts) -> str:
    if read.latest == read.target < read.length - 1:
        return "move the causal mask by one position: each may attend to itself and to those before it only."
    return (
        "give the attention a causal mask (is_causal=True with "
        "nn.Transformer.generate_square_subsequent_mask(length)), and use no bidirectional layer."
    )
