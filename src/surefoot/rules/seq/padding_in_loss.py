"""Padding counts in the loss.

## What it does
Fires when sequences are padded with the `padding_idx` of an embedding, and the targets of padded positions count in
cross-entropy or NLL loss, because they are not its `ignore_index`; also where the loss is written out, with
`log_softmax` and `gather`, and no mask leaves them out. Of an embedding without `padding_idx`, padding is a
token that fills up the ends of rows of different length in every batch and stands nowhere else, where the next token is
to be predicted. Where masked tokens are to be predicted, it fires when all other positions have the `padding_idx` for a
label, and count.

## Why it matters
Predicting padding after padding is easy, so the mean loss looks better than the model is, and real tokens get a smaller
share of every gradient. The loss also moves with the lengths that happen to be in a batch, and can't be compared
between runs with other batches.

## Common belief
With `padding_idx` set, padding is ignored.

## In truth
`padding_idx` keeps one row of the embedding from being trained. The loss does not know it: it only leaves out
`ignore_index`, which is -100 by default.

## Bad
```python
import torch

torch.manual_seed(0)
PAD, WORDS = 0, 20
embedding = torch.nn.Embedding(WORDS, 16, padding_idx=PAD)
rnn = torch.nn.LSTM(16, 16, batch_first=True)
head = torch.nn.Linear(16, WORDS)
model = torch.nn.ModuleList([embedding, rnn, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    texts = [torch.randint(1, WORDS, (n,)) for n in torch.randint(4, 13, (16,)).tolist()]
    ids = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=PAD)
    scores = head(rnn(embedding(ids[:, :-1]))[0])
    loss = torch.nn.functional.cross_entropy(scores.reshape(-1, WORDS), ids[:, 1:].reshape(-1))
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
rnn = torch.nn.LSTM(16, 16, batch_first=True)
head = torch.nn.Linear(16, WORDS)
model = torch.nn.ModuleList([embedding, rnn, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    texts = [torch.randint(1, WORDS, (n,)) for n in torch.randint(4, 13, (16,)).tolist()]
    ids = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=PAD)
    scores = head(rnn(embedding(ids[:, :-1]))[0])
    loss = torch.nn.functional.cross_entropy(
        scores.reshape(-1, WORDS), ids[:, 1:].reshape(-1), ignore_index=PAD
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Padded targets that are ignored, have class weight 0 or are cut out before the loss;
losses that are not reduced, which a mask may follow; an index that also stands inside sequences, as an ordinary token
or the end of packed texts; one end-of-text token a sequence, which is to be learned; sequences of the same length.

## How it decides
The ids of an embedding lookup are taken from the graph behind the loss, and laid on the targets: these are the same
tokens, moved, or have one value wherever the input is padded.
"""

from collections.abc import Iterator

from surefoot.facts import SequenceFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.seq.sequence_losses import backwarded

MIN_BATCHES = 2  # one may be odd
MIN_UNNAMED = 4  # only the batches themselves show what is padding
MIN_SHARE = 0.05  # of targets, without other evidence: a few do little harm


@rule("warning", on=StepFacts, probes=("sequence", "loss"))
def check(now: StepFacts, past: History) -> Iterator[Evidence]:
    for one in backwarded(now):
        if one.num_padded < (MIN_BATCHES if one.is_padding_named else MIN_UNNAMED):
            continue
        share = one.num_padding / one.num_counted
        if share < MIN_SHARE and not one.is_padding_named:
            continue
        yield Evidence(
            message=(
                f"{one.num_padding} of {one.num_counted} targets that count in this {one.kind} loss are {_what(one)} "
                f"({share:.0%}, in {one.num_padded} batches): {_padding(one)}, and {_ignored(one)}"
            ),
            fix=_fix(one),
            site=one.site,
            numbers={"padding": one.num_padding, "targets": one.num_counted, "batches": one.num_padded},
        )


def _what(one: SequenceFacts) -> str:
    return "padding" if one.mask_token is None else "not asked for"


def _padding(one: SequenceFacts) -> str:
    if one.mask_token is not None:
        asked = f"tokens are asked for where token {one.mask_token} stands in their place, or mostly there"
        return f"{asked}; all other positions are labelled {one.padding_idx}"
    if one.is_padding_named:
        named = f"the embedding's padding_idx is {one.padding_idx}"
        return f"{named}, the target of padded positions is {one.padding_target}"
    return f"token {one.padding_idx} fills up the ends of rows of different length and stands nowhere else in them"


def _ignored(one: SequenceFacts) -> str:
    return "no mask leaves them out" if _is_written_out(one) else f"the loss ignores {one.ignore_index}"


def _is_written_out(one: SequenceFacts) -> bool:
    return one.kind == "log-likelihood"


def _fix(one: SequenceFacts) -> str:
    if _is_written_out(one):
        return "multiply the loss of each position by a mask that is 0 where it is padded, and divide by its sum."
    if one.is_padding_a_class or not one.is_padding_named:  # ignoring it would leave out others, as the end of texts
        return "set the targets of padded positions to -100, which the loss ignores by default."
    return f"pass ignore_index={one.padding_target} to the loss, or set padded targets to -100."
