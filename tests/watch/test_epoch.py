"""Passes over DataLoaders, in the loops people write."""

from collections.abc import Iterator
from pathlib import Path

from surefoot.facts import EpochEdgeFacts, EpochFacts, Record, StepFacts
from tests.watch import record

HEAD = """
import itertools
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def loader_of(num_batches, **options):
    return DataLoader(TensorDataset(torch.randn(4 * num_batches, 2)), batch_size=4, shuffle=True, **options)

def train(batch):
    optimizer.zero_grad()
    model(batch[0]).pow(2).mean().backward()
    optimizer.step()

def validate(batch):
    with torch.no_grad():
        model(batch[0])
"""


def records_of(code: str, file: Path) -> list[Record]:
    return record.records_of(HEAD + code, file)


def passes(records: list[Record]) -> list[tuple[int, int, bool, int, int, int]]:
    return [
        (e.loader, e.epoch, e.complete, e.num_batches, e.num_backwards, e.num_steps)
        for e in records
        if isinstance(e, EpochFacts)
    ]


def edges(records: list[Record]) -> Iterator[tuple[int, str, int]]:
    """The edges before each step."""
    for step in records:
        if isinstance(step, StepFacts):
            for event in step.events:
                if isinstance(event, EpochEdgeFacts):
                    yield (step.index, event.edge, event.loader)


def test_epochs_with_validation_after_each(tmp_path: Path) -> None:
    records = records_of(
        """
loader, val = loader_of(3), loader_of(2)
for _ in range(2):
    for batch in loader:
        train(batch)
    for batch in val:
        validate(batch)
""",
        tmp_path / "a.py",
    )
    assert passes(records) == [
        (1, 1, True, 3, 3, 3), (2, 1, True, 2, 0, 0), (1, 2, True, 3, 3, 3), (2, 2, True, 2, 0, 0),
    ]  # fmt: skip
    assert list(edges(records)) == [
        (1, "start", 1), (4, "end", 1), (4, "start", 2), (4, "end", 2), (4, "start", 1),
    ]  # fmt: skip
    first = next(e for e in records if isinstance(e, EpochFacts))
    line = HEAD.count("\n") + 4
    assert first.site is not None and first.site.place == (str(tmp_path / "a.py"), line)
    assert first.length == 3


def test_a_loader_left_by_break(tmp_path: Path) -> None:
    records = records_of(
        """
loader = loader_of(5)
for _ in range(2):
    for i, batch in enumerate(loader):
        train(batch)
        if i == 1:
            break
train(batch)
""",
        tmp_path / "a.py",
    )
    assert passes(records) == [(1, 1, False, 2, 2, 2), (1, 2, False, 2, 2, 2)]
    assert list(edges(records))[-1] == (5, "end", 1)


def test_a_loader_still_running_at_the_end(tmp_path: Path) -> None:
    records = records_of("it = iter(loader_of(5))\nfor _ in range(3): train(next(it))\n", tmp_path / "a.py")
    assert passes(records) == [(1, 1, False, 3, 3, 3)]


def test_an_iterator_renewed_by_hand(tmp_path: Path) -> None:
    records = records_of(
        """
loader = loader_of(3)
it = iter(loader)
for _ in range(7):
    try:
        batch = next(it)
    except StopIteration:
        it = iter(loader)
        batch = next(it)
    train(batch)
""",
        tmp_path / "a.py",
    )
    assert passes(records) == [(1, 1, True, 3, 3, 3), (1, 2, True, 3, 3, 3), (1, 3, False, 1, 1, 1)]


def test_validation_inside_the_training_epoch(tmp_path: Path) -> None:
    records = records_of(
        """
loader, val = loader_of(4), loader_of(1)
for i, batch in enumerate(loader):
    train(batch)
    if i % 2:
        for v in val:
            validate(v)
        for t in loader:
            validate(t)
            break
""",
        tmp_path / "a.py",
    )
    found = passes(records)
    assert (1, 1, True, 4, 4, 4) in found
    assert found.count((2, 1, True, 1, 0, 0)) == 1
    assert [f[4] for f in found if f[0] == 2] == [0, 0]


def test_two_loaders_at_once_and_a_cycled_one(tmp_path: Path) -> None:
    records = records_of(
        """
a, b, c = loader_of(2), loader_of(3), loader_of(1)
for x, y, z in zip(a, b, itertools.cycle(c)):
    train(x)
for _ in range(2):
    for x in b:
        train(x)
""",
        tmp_path / "a.py",
    )
    assert sorted(passes(records)) == [  # cycle starts its loader at once
        (1, 1, True, 1, 1, 1), (2, 1, True, 2, 2, 2), (3, 1, False, 2, 2, 2), (3, 2, True, 3, 3, 3),
        (3, 3, True, 3, 3, 3),
    ]  # fmt: skip


def test_a_prefetcher_finds_the_end_before_the_last_batch_is_used(tmp_path: Path) -> None:
    records = records_of(
        """
def ahead(loader):
    it = iter(loader)
    held = next(it)
    for batch in it:
        yield held
        held = batch
    yield held

loader = loader_of(4)
for _ in range(2):
    for batch in ahead(loader):
        train(batch)
""",
        tmp_path / "a.py",
    )
    assert passes(records) == [(1, 1, True, 4, 4, 4), (1, 2, True, 4, 4, 4)]


def test_persistent_workers_and_loaders_made_anew(tmp_path: Path) -> None:
    records = records_of(
        """
loader = loader_of(2, num_workers=1, persistent_workers=True)
data = TensorDataset(torch.randn(4, 2))
for _ in range(2):
    for batch in loader:
        train(batch)
    for batch in DataLoader(data, batch_size=2):
        train(batch)
del loader
""",
        tmp_path / "a.py",
    )
    assert passes(records) == [
        (1, 1, True, 2, 2, 2),
        (2, 1, True, 2, 2, 2),
        (1, 2, True, 2, 2, 2),
        (2, 2, True, 2, 2, 2),
    ]


def test_many_alike_passes_are_thinned(tmp_path: Path) -> None:
    records = records_of("loader = loader_of(2)\nfor _ in range(100): train(next(iter(loader)))\n", tmp_path / "a.py")
    found = passes(records)
    assert 32 < len(found) < 40
    steps = [r for r in records if isinstance(r, StepFacts)]
    assert len(steps) < 40, "an epoch edge must not make every step a new shape"
