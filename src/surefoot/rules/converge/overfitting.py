"""The validation loss rises while the training loss goes on falling.

## What it does
Notes when the loss on other data has been rising over several validations since its best one, while the training loss
fell over the same time, both by more than they scatter.

## Why it matters
After its best point the model memorises the training data. The weights from that point are better, and further training
is wasted.

## Common belief
The last weights are the best ones, because they have trained the longest.

## In truth
They have the lowest training loss. The weights to keep are those from where the validation loss turned.

## Bad
```python
import torch

torch.manual_seed(0)
x = torch.randn(128, 20)
y = (x[:, 0] + torch.randn(128) > 0).long()
model = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(20):
    for batch in torch.randperm(64).split(16):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    with torch.no_grad():
        validation_loss = torch.nn.functional.cross_entropy(model(x[64:]), y[64:])
```

## Good
```python
import torch

torch.manual_seed(0)
x = torch.randn(2112, 20)
y = (x[:, 0] + torch.randn(2112) > 0).long()
model = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
for epoch in range(8):
    for batch in torch.randperm(2048).split(128):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    with torch.no_grad():
        validation_loss = torch.nn.functional.cross_entropy(model(x[2048:]), y[2048:])
```

## When it stays silent
Fewer than eight validations, or fewer than five since the best one; a rise that is not more than the scatter; a
training loss that does not fall; losses of another kind or size than the training loss, such as a distance that is
only watched; programs with several optimizers.

## How it decides
Validation losses are those that torch's loss functions compute without gradients between the steps, by loader or line,
or those that the program logs under a name such as `val/loss`. Best and last are medians of three. The scatter is
taken from the second differences, which do not see a trend.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from statistics import median

from surefoot.facts import ValidationFacts
from surefoot.facts.frozen import frozen
from surefoot.rules import Evidence, History, rule

FEWEST = 8  # validations
SINCE_BEST = 5
TIMES_SCATTER = 4.0
RISEN, FALLEN = 0.05, 0.1  # at least, as shares
STEADY = 0.6  # share of pairs in order, less that of pairs out of order
MANY = 64  # validations; of more, not each pair is compared
KINDRED = 3.0  # how far a loss of the same kind on other data may be from the training loss, at first

_LOSS = attrgetter("loss")


def _trend(values: Sequence[float]) -> float:
    """Kendall's: 1 for values that always rise."""
    values = values[:: len(values) // MANY + 1]
    pairs = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
    return sum((b > a) - (b < a) for a, b in pairs) / len(pairs)


def _scatter(values: Sequence[float]) -> float:
    """Standard deviation around a trend."""
    bends = [abs(values[i - 1] - 2 * values[i] + values[i + 1]) for i in range(1, len(values) - 1)]
    return 1.48 * median(bends) / 6**0.5


def _around(values: Sequence[float], place: int) -> float:
    return median(values[max(0, place - 1) : place + 2])


@frozen
class Change:
    """Of a loss, from the best validation to now."""

    before: float
    now: float
    scatter: float
    trend: float

    @property
    def is_rise(self) -> bool:
        enough = max(TIMES_SCATTER * self.scatter, RISEN * abs(self.before))
        return self.now - self.before > enough and self.trend >= STEADY

    @property
    def is_fall(self) -> bool:
        enough = max(TIMES_SCATTER * self.scatter, FALLEN * abs(self.before))
        return self.before - self.now > enough and self.trend <= -STEADY


def _change(values: Sequence[float], best: int) -> Change:
    since = values[best:]
    return Change(_around(values, best), median(values[-3:]), _scatter(since), _trend(since))


def _is_kindred(first: ValidationFacts) -> bool:
    """Whether what was computed is a loss like the one that is trained on."""
    if first.name:
        return True
    trained = first.train_loss or 0.0
    return first.kind in first.train_kinds and trained / KINDRED <= first.loss <= trained * KINDRED


@rule("note", on=ValidationFacts, probes=("validation", "loss"))
def check(now: ValidationFacts, past: History) -> Iterator[Evidence]:
    if now.num_optimizers > 1 or now.train_loss is None:
        return
    before = past.validations(now.series)
    lowest = min(map(_LOSS, before), default=now.loss)
    if max(now.loss, before[-1].loss if before else now.loss) <= lowest + RISEN * abs(lowest):
        return  # the median of the last three has not risen: most of the time that is so
    points = [(f, f.train_loss) for f in (*before, now) if f.train_loss is not None]
    if len(points) < FEWEST or not _is_kindred(points[0][0]):
        return
    losses, trained = [f.loss for f, _ in points], [loss for _, loss in points]
    smooth = [_around(losses, i) for i in range(len(losses))]
    best = min(range(len(losses)), key=smooth.__getitem__)
    if len(losses) - 1 - best < SINCE_BEST:
        return
    validation, training = _change(losses, best), _change(trained, best)
    if not validation.is_rise or not training.is_fall:
        return
    facts = points[best][0]
    what = now.name or "the loss on other data"
    yield Evidence(
        message=f"{what} was lowest, {validation.before:.3g}, at validation {facts.phase} (step {facts.index}); it has "
        f"risen to {validation.now:.3g} since, while the training loss fell from {training.before:.3g} to "
        f"{training.now:.3g}",
        fix=f"keep the weights of about step {facts.index}: stop early, or train with more data, augmentation, weight "
        "decay or dropout.",
        site=now.site,
        numbers={
            "best": validation.before,
            "best_step": facts.index,
            "now": validation.now,
            "train_at_best": training.before,
            "train_now": training.now,
            "num_validations": now.phase,
        },
    )
