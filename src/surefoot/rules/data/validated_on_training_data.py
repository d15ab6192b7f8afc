"""The validation data is a part of the training data.

## What it does
Fires when the samples that a validation loader gives, or a fifth of them and more, are among those that the training
loader draws from, or that the same model was trained on before the data set was split anew.

## Why it matters
The score then measures how well the model remembers. It rises while the model overfits, so it misleads early stopping,
the choice of the best checkpoint and every comparison of settings, and the numbers do not hold on new data.

## Common belief
A loader named `val_loader`, or a part that `random_split` gave, is held out.

## In truth
It is held out only if training never uses those samples. `random_split` and `Subset` remove nothing from the original
data set: training on the whole set still trains on the validation part.

## Bad
```python
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(160, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
train_set, val_set = random_split(data, [128, 32])
train_loader = DataLoader(data, batch_size=16, shuffle=True)
val_loader = DataLoader(val_set, batch_size=16)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(3):
    for x, y in train_loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        print(sum(torch.nn.functional.mse_loss(model(x), y).item() for x, y in val_loader))
```

## Good
```python
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(160, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
train_set, val_set = random_split(data, [128, 32])
train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
val_loader = DataLoader(val_set, batch_size=16)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(3):
    for x, y in train_loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        print(sum(torch.nn.functional.mse_loss(model(x), y).item() for x, y in val_loader))
```

## When it stays silent
Scores on training data that are called so; the training loader itself, read once more; a single batch that is trained
on again and again to see whether the model can learn it; cross-validation, where each part is trained on by another
optimizer; a few samples, and a pass over more than was trained on, as over all data there is; data sets that make up
samples or are switched from one part to another; samplers that are not torch's; an evaluation by a loader of any other
name, if the program computes a loss on anything else, too.

## How it decides
By what holds the samples: the rows of the tensors in memory, also of those that a data set of the program's own holds,
the objects in a list, or the data set and the index. A class of the program's own must give the same batches in two
evaluations. Validation is known by the name of the loader, or is the only evaluation of the run.

Where loaders are made again and again for parts of a data set, a part that is held out now is also compared with those
that the same optimizer trained on before, unless the weights were set in between.
"""

import re
from collections.abc import Iterator

from surefoot.facts import EndFacts, EpochFacts, FeedFacts, OverlapFacts
from surefoot.rules import Evidence, History, rule

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HELD_OUT = re.compile(
    r"(val|valid|validation|validate|vali|test|testing|dev|holdout|heldout)(loader|dataloader|dl|data|iter)?"
)
_TRAINED = re.compile(
    r"tr|trn|train.*|.*train|fit|fitted|seen|probe|monitor|calib.*"
)  # scores on training data, so called
_PARTS = frozenset(("va", "vs"))  # as in `tr, va = random_split(…)`
_CHOSEN = frozenset((
    "pool", "rest", "remaining", "unselected", "unlabeled", "unlabelled", "candidates", "scoring", "selection",
))  # fmt: skip  # samples that are scored to choose what to train on next
MOST_SERIES = 32  # of validation losses
MIN_SHARE = 0.2  # of a validation set that must be trained on: a few samples may be kept to look at
FEWEST_SHARED = 8


@rule("warning", on=(EpochFacts, EndFacts), probes=("data", "epoch", "validation"))
def check(now: EpochFacts | EndFacts, past: History) -> Iterator[Evidence]:
    if isinstance(now, EpochFacts):
        overlap = _overlap(now, past)
        if _is_split_anew(now):
            yield _evidence_of_split(now)
        elif overlap is not None and _is_called(now, _HELD_OUT):
            yield _evidence(now, overlap)
    elif now.reason == "finished":
        for read in _only_evaluations(past):
            overlap = _overlap(read, past)
            if overlap is not None:
                yield _evidence(read, overlap)


def _is_split_anew(read: EpochFacts) -> bool:
    """Whether a part that is now held out, and called so, was trained on before."""
    feed = read.feed
    if feed is None or feed.overlap is None or not feed.overlap.is_earlier or not feed.overlap.optimizers:
        return False
    words = {word.lower() for name in (*feed.called, *feed.names) for word in _WORD.findall(name)}
    is_held_out = any(_HELD_OUT.fullmatch(word) or word in _PARTS for word in words)
    is_chosen = any(_TRAINED.fullmatch(word) or word in _CHOSEN for word in words)
    return is_held_out and not is_chosen and _is_large(feed.overlap)


def _overlap(read: EpochFacts, past: History) -> OverlapFacts | None:
    """If the model that is evaluated is sure to be the one that was trained, and its samples to be the same."""
    feed, overlap = read.feed, _present(read.feed)
    if feed is None or overlap is None or not overlap.optimizers or _is_called(read, _TRAINED):
        return None
    if overlap.loader == read.loader or overlap.length == 1 or not _is_large(overlap):
        return None
    earlier = [
        (one.feed, before)
        for one in past.epochs
        if one.loader == read.loader and one.epoch < read.epoch and one.feed and (before := _present(one.feed))
    ]
    earlier = [(one, before) for one, before in earlier if _is_trained_alone(before, overlap)]
    if not overlap.is_stored and not any(_gave_the_same(one, feed) for one, _ in earlier):
        return None
    return overlap if earlier or overlap.num_updates == overlap.num_steps else None


def _present(feed: FeedFacts | None) -> OverlapFacts | None:
    """The overlap with what is trained on now."""
    overlap = None if feed is None else feed.overlap
    return None if overlap is None or overlap.is_earlier else overlap


def _is_large(overlap: OverlapFacts) -> bool:
    """All samples, or so many that it is no accident and changes the score."""
    if overlap.num_samples > overlap.num_trained:  # a pass over all data there is
        return False
    shared = overlap.num_shared if _is_partial(overlap) else None
    return shared is None or shared >= max(FEWEST_SHARED, MIN_SHARE * overlap.num_samples)


def _is_trained_alone(before: OverlapFacts, now: OverlapFacts) -> bool:
    """Whether all that was trained between two evaluations was trained on the same data, by the same optimizers."""
    num_updates = now.num_updates - before.num_updates
    same = (before.loader, before.optimizers) == (now.loader, now.optimizers)
    return same and num_updates == now.num_steps - before.num_steps > 0


def _gave_the_same(one: FeedFacts, other: FeedFacts) -> bool:
    """Whether both gave the same inputs: the data set does not make them up."""
    first, second = dict(one.marks), dict(other.marks)
    both = first.keys() & second.keys()
    return bool(both) and all(first[n] == second[n] and any(first[n][:1]) for n in both)


def _is_called(read: EpochFacts, pattern: re.Pattern[str]) -> bool:
    """By a name of the loader, or of a function that makes loaders."""
    if read.feed is None:
        return False
    names, made = read.feed.called, read.feed.made
    function = "" if made is None else made.function.rpartition(".")[2]
    names = (*names, function) if "load" in function else names
    return any(pattern.fullmatch(word.lower()) for name in names for word in _WORD.findall(name))


def _only_evaluations(past: History) -> list[EpochFacts]:
    """The last passes over each loader that is evaluated, if losses are computed on these alone."""
    reads = [one for one in past.epochs if not one.num_backwards and one.num_batches and one.feed is not None]
    series = [facts[-1] for n in range(1, MOST_SERIES + 1) if (facts := past.validations(n))]
    within = {one.loader: one for one in reads if _present(one.feed) is not None}
    if not {one.loader for one in reads} | {one.loader for one in series} <= within.keys():
        return []
    wanted = {one.loader for one in series if one.kind in one.train_kinds}
    return [one for loader, one in within.items() if loader in wanted]


def _evidence(read: EpochFacts, overlap: OverlapFacts) -> Evidence:
    made = f" made at line {overlap.made.line}" if overlap.made is not None else ""
    return Evidence(
        message=f"{_which(overlap)} that the loader{made} trains on: {_effect(overlap)}",
        fix="train only on the samples that are left, such as the other part that random_split returns.",
        site=(read.feed.made if read.feed is not None else None) or read.site,
        numbers={"samples": overlap.num_samples, "trained": overlap.num_trained},
    )


def _evidence_of_split(read: EpochFacts) -> Evidence:
    assert read.feed is not None and read.feed.overlap is not None
    overlap = read.feed.overlap
    made = f" made at line {overlap.made.line}" if overlap.made is not None else ""
    return Evidence(
        message=(
            f"{overlap.num_shared} of the {overlap.num_samples} samples of this evaluation were trained on before, "
            f"when the loader{made} gave them: the data set is split anew, and the model is not"
        ),
        fix="split once, before the loop; in a cross-validation begin each fold with a new model and optimizer.",
        site=read.feed.made or read.site,
        numbers={"samples": overlap.num_samples, "shared": overlap.num_shared or 0},
    )


def _is_partial(overlap: OverlapFacts) -> bool:
    return overlap.num_shared is not None and overlap.num_shared < overlap.num_samples


def _effect(overlap: OverlapFacts) -> str:
    return "for these the score can't show overfitting" if _is_partial(overlap) else "the score can't show overfitting"


def _which(overlap: OverlapFacts) -> str:
    num = overlap.num_samples
    if _is_partial(overlap):
        return f"{overlap.num_shared} of the {num} samples of this evaluation are among the {overlap.num_trained}"
    which = "the very ones" if num == overlap.num_trained else f"among the {overlap.num_trained}"
    return f"the {num} samples of this evaluation are {which}"
