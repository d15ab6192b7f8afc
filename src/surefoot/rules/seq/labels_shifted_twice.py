"""Targets are shifted by two positions.

## What it does
Fires when a model that reads tokens from left to right is trained on the token after next: the targets of
cross-entropy or NLL loss are the model's own input, moved by two positions.

## Why it matters
The model learns to skip a token each time. Its loss falls, though not as far as it should, so training looks healthy,
but the text it generates is broken.

## Common belief
A model that takes labels expects those of its predictions: the next tokens.

## In truth
Models that compute their own loss, such as those of Hugging Face, expect the input itself as labels and shift it
inside. Shifting it beforehand shifts it twice.

## Bad
```python
import torch

torch.manual_seed(0)
WORDS = 20


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, 16)
        self.rnn = torch.nn.LSTM(16, 16, batch_first=True)
        self.head = torch.nn.Linear(16, WORDS)

    def forward(self, ids, labels):
        scores = self.head(self.rnn(self.embedding(ids))[0])
        return torch.nn.functional.cross_entropy(
            scores[:, :-1].reshape(-1, WORDS), labels[:, 1:].reshape(-1)
        )


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    text = torch.randint(0, WORDS, (16, 12))
    loss = model(text[:, :-1], labels=text[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
WORDS = 20


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, 16)
        self.rnn = torch.nn.LSTM(16, 16, batch_first=True)
        self.head = torch.nn.Linear(16, WORDS)

    def forward(self, ids, labels):
        scores = self.head(self.rnn(self.embedding(ids))[0])
        return torch.nn.functional.cross_entropy(
            scores[:, :-1].reshape(-1, WORDS), labels[:, 1:].reshape(-1)
        )


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    text = torch.randint(0, WORDS, (16, 12))
    loss = model(text, labels=text)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Programs in which some loss has the next token as target, as with heads for several tokens ahead; targets that are not
the model's input; predictions that were cut out at another position; periodic data, in which several shifts fit.

## How it decides
The ids of an embedding lookup are taken from the graph behind the loss and compared with the targets. One
vector-Jacobian product shows the last position that a prediction depends on.
"""

from collections.abc import Iterator

from surefoot.facts import SequenceFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.seq.sequence_losses import backwarded, predicts_next

MIN_BATCHES = 2  # one may be odd


@rule("error", on=StepFacts, probes=("sequence", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for one in backwarded(now):
        if _is_shifted_twice(one) and not predicts_next(now, past):
            read = one.reads[0]
            yield Evidence(
                message=(
                    f"targets are the model's input moved by 2 positions, in all {one.num_batches} batches compared: "
                    f"the prediction that has read positions up to {read.latest} must give the token at position "
                    f"{read.target}, and the one between is skipped"
                ),
                fix="shift once: pass the tokens themselves as labels if the model or its loss shifts them.",
                site=one.site,
                numbers={"offset": 2, "batches": one.num_batches},
            )


def _is_shifted_twice(one: SequenceFacts) -> bool:
    if [offset for offset, _ in one.offsets] != [2] or one.num_batches < MIN_BATCHES or not one.reads:
        return False
    return all(read.latest == read.row == read.target - 2 for read in one.reads)
