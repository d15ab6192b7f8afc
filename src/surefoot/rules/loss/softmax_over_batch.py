"""Class probabilities sum to one over the batch.

## What it does
Fires when the softmax or log-softmax that feeds a classification loss runs over dimension 0, the batch, or over the
batch or time dimension of scores whose classes lie in the last one. Also where its result is multiplied by one-hot
targets with their classes in dimension 1, as in a Dice loss.

## Why it matters
The samples of a batch then compete with each other for each class, and a sample's own class scores are not compared at
all. What the model says about a sample depends on its neighbours in the batch.

## Common belief
`dim=0` or `dim=1`: a softmax is a softmax.

## In truth
The dimension decides what competes. Over the batch, samples compete for each class, and the prediction for one depends
on which others happen to be in its batch.

## Bad
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.LogSoftmax(dim=0))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    loss = torch.nn.functional.nll_loss(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good
```python
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.LogSoftmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(16, 8)
    loss = torch.nn.functional.nll_loss(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it stays silent
Contrastive losses whose targets are the samples' own indices; scores that are transposed after the softmax; a single
sample without a batch dimension; a column of candidates; sequences whose softmax runs over the classes.

## How it decides
By the softmax's dimension and by what shows that the classes lie in another one: the NLL loss itself, one-hot targets,
or the index by which a hand-written loss picks out one class per row. Sequences are flattened to rows of classes before
the NLL loss sees them, or given to it moment by moment, so that their classes are the last dimension.
"""

from collections.abc import Iterator

from surefoot.facts import EndFacts, LossFacts, OpFacts, StepFacts
from surefoot.rules import Evidence, History, rule
from surefoot.rules.loss.recorded_losses import losses

SOFTMAXES = frozenset({"Softmax", "LogSoftmax"})
TURNS = frozenset({"T", "Transpose", "Permute", "Movedim"})
# Rows stay rows, or some of them are picked.
FLATTENS = frozenset({"View", "UnsafeView", "Reshape", "ReshapeAlias", "Clone", "ToCopy", "Select", "Slice", "Unbind"})


def _over_batch(part: LossFacts) -> OpFacts | None:
    through: set[str] = set()
    for op in part.fed_by:
        through.update(op.through)
        if (op.name not in SOFTMAXES and op.name != "Log") or TURNS.intersection(through):
            return None
        if op.dim == 0 and len(op.shape) > 1 and op.shape[0] > 1:
            return op if _num_classes(part, op) > 1 else None
        if op.dim and _has_classes_last(part, op) and FLATTENS.issuperset(through):
            return op
    return None


def _has_classes_last(part: LossFacts, op: OpFacts) -> bool:
    """A softmax inside of sequences that were flattened for the loss: whether it missed the classes for certain."""
    if part.kind not in ("cross-entropy", "nll") or part.input is None or len(part.input.shape) != 2:
        return False
    length, classes = op.shape[op.dim or 0], op.shape[-1]
    return len(op.shape) > 2 and 1 < length != classes == part.num_classes != 1 and not _is_contrastive(part)


def _is_contrastive(part: LossFacts) -> bool:
    return part.target is not None and part.target.counts_up


def _num_classes(part: LossFacts, op: OpFacts) -> int:
    """How many classes lie behind dimension 0; 0 when it is not certain that they do."""
    target = part.target
    if part.kind in ("cross-entropy", "nll"):
        return part.num_classes or 0 if part.num_classes in op.shape[1:] and not _is_contrastive(part) else 0
    if part.class_dim is not None:
        return op.shape[1] if part.class_dim == 1 and op.shape[0] != op.shape[1] else 0
    is_one_hot = target is not None and target.is_distribution and target.shape == op.shape
    return op.shape[1] if part.kind in ("bce", "mse", "l1") and is_one_hot else 0


@rule("error", on=(StepFacts, EndFacts), probes=("loss",))
def check(now: StepFacts | EndFacts, past: History) -> Iterator[Evidence]:
    for _, part in losses(now):
        op = _over_batch(part)
        if op is not None:
            yield _evidence(part, op)


def _evidence(part: LossFacts, op: OpFacts) -> Evidence:
    name = "log-softmax" if op.name == "LogSoftmax" else "softmax"
    classes = _num_classes(part, op) if op.dim == 0 else op.shape[-1]
    entries = "samples of a batch" if op.dim == 0 else "entries of that dimension"
    return Evidence(
        message=(
            f"the {name} of a {tuple(op.shape)} tensor runs over dimension {op.dim}: probabilities sum to one over "
            f"the {op.shape[op.dim or 0]} {entries}, not over the {classes} classes"
        ),
        fix=f"call the {name} with dim=-1." if op.dim else f"call the {name} with dim=1 (or dim=-1).",
        site=part.site,
        numbers={"shape": list(op.shape), "dim": op.dim or 0, "classes": classes},
    )
