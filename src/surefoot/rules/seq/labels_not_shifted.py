"""The target of each prediction is the token that was just read.

## What it does
Fires when a model that reads tokens from left to right is trained to give, at each position, the token at that very
position: the targets of cross-entropy or NLL loss are its own input, not shifted.

## Why it matters
The model learns to copy. The loss falls quickly towards zero, which looks like success, and nothing is learned about
what comes next.

## Common belief
A language model learns to reproduce its input, so its input is the target.

## In truth
A causal model has already read the token at its own position. What it must learn is the next one: the scores of
position t belong to the token at t + 1.

## Bad
```python
import torch

torch.manual_seed(0)
WORDS = 20
embedding = torch.nn.Embedding(WORDS, 16)
rnn = torch.nn.LSTM(16, 16, batch_first=True)
head = torch.nn.Linear(16, WORDS)
model = torch.nn.ModuleList([embedding, rnn, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    text = torch.randint(0, WORDS, (16, 12))
    scores = head(rnn(embedding(text))[0])
    loss = torch.nn.functional.cross_entropy(scores.reshape(-1, WORDS), text.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
WORDS = 20
embedding = torch.nn.Embedding(WORDS, 16)
rnn = torch.nn.LSTM(16, 16, batch_first=True)
head = torch.nn.Linear(16, WORDS)
model = torch.nn.ModuleList([embedding, rnn, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    text = torch.randint(0, WORDS, (16, 12))
    scores = head(rnn(embedding(text[:, :-1]))[0])
    loss = torch.nn.functional.cross_entropy(scores.reshape(-1, WORDS), text[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Models that are not causal, as autoencoders and masked language models; inputs of which a part is replaced; models that
shift inside, so that a prediction has not read its own token; programs in which some loss has the next token as target.

## How it decides
The ids of an embedding lookup are taken from the graph behind the loss and compared with the targets. A
vector-Jacobian product for each of two predictions shows which positions they depend on.
"""

from collections.abc import Iterator

from surefoot.facts import SequenceFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.seq.sequence_losses import backwarded, predicts_next

MIN_READS = 2  # predictions at different positions: what one does not depend on may be chance


@rule("error", on=StepFacts, probes=("sequence", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for one in backwarded(now):
        if _copies(one) and not predicts_next(now, past):
            read = next(read for read in one.reads if read.earliest < read.latest)
            yield Evidence(
                message=(
                    f"targets are the model's input at the same position, in all {one.num_batches} batches compared: "
                    f"the prediction of the token at position {read.target} has read positions {read.earliest} to "
                    f"{read.latest}, so that it only has to copy"
                ),
                fix="shift the targets by one: cross_entropy(scores[:, :-1], ids[:, 1:]), with classes where it "
                "wants them.",
                site=one.site,
                numbers={"offset": 0, "batches": one.num_batches},
            )


def _copies(one: SequenceFacts) -> bool:
    if [offset for offset, _ in one.offsets] != [0] or any(read.latest != read.target for read in one.reads):
        return False
    in_context = {read.row for read in one.reads if read.earliest < read.latest == read.row < read.length - 1}
    return len(in_context) >= MIN_READS
