"""What a run tells of the batches it was fed with."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from surefoot.facts import EndFacts, EpochFacts, FeedFacts, StepFacts
from tests.watch.record import records_of
from tests.watch.watching import watching

HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 8))
loader = DataLoader(data, batch_size=8, shuffle=True)
val_loader = DataLoader(data, batch_size=8)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def train(x):
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
"""


def feeds(code: str, file: Path) -> list[FeedFacts]:
    return [r.feed for r in records_of(HEAD + code, file) if isinstance(r, EpochFacts) and r.feed is not None]


def test_who_is_trained_on_and_who_is_looked_at(tmp_path: Path) -> None:
    code = """
for epoch in range(2):
    for (x,) in loader:
        train(x)
    with torch.no_grad():
        for (x,) in val_loader:
            model(x)
    for (x,) in val_loader:
        model(x)
"""
    found = feeds(code, tmp_path / "a.py")
    assert [(f.sampler, f.trained, f.optimizers) for f in found] == 2 * [
        ("random", True, (1,)), ("sequential", False, ()), ("sequential", False, ()),
    ]  # fmt: skip
    assert found[0].made is not None and found[0].made.line == 8 and found[0].num_samples == 64
    assert "val_loader" in found[1].names and "data" in found[1].names


def test_loaders_that_give_a_batch_each(tmp_path: Path) -> None:
    code = """
others = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8)
for (x,), (y,), (z,) in zip(loader, val_loader, others):
    train(x)
    with torch.no_grad():
        model(y)
for (x,), (z,) in zip(loader, others):
    optimizer.zero_grad()
    (model(x).pow(2).mean() + model(z).pow(2).mean()).backward()
    optimizer.step()
"""
    found = [(feed.made.line, feed.trained) for feed in feeds(code, tmp_path / "a.py") if feed.made is not None]
    others = HEAD.count("\n") + 2
    assert sorted(found) == [(8, True), (8, True), (9, False), (others, False), (others, True)]


def test_which_batches_are_marked(tmp_path: Path) -> None:
    code = """
one_by_one = DataLoader(data, batch_size=1)
for epoch in range(6):
    for (x,) in one_by_one:
        train(x)
"""
    found = feeds(code, tmp_path / "a.py")
    assert [number for number, _ in found[0].marks] == [1, 2, 3, 4, 8, 16, 32, 64]
    assert found[0].marks == found[1].marks
    assert [len(f.marks) for f in found] == [8, 8, 8, 8, 1, 1]


def test_a_long_run_that_is_mostly_slept_through(tmp_path: Path) -> None:
    code = """
for epoch in range(30):
    for (x,) in loader:
        train(x)
"""
    assert all(f.trained and f.optimizers == (1,) for f in feeds(code, tmp_path / "a.py"))


def test_a_batch_that_feeds_every_step(tmp_path: Path) -> None:
    records = records_of(HEAD + "(x,) = next(iter(loader))\nfor _ in range(600): train(x)\n", tmp_path / "a.py")
    steps = [r.same_batch for r in records if isinstance(r, StepFacts) and r.same_batch is not None]
    assert steps and 256 <= steps[0].num_steps < 600 and steps[0].length == 8
    (end,) = [r for r in records if isinstance(r, EndFacts)]
    assert end.same_batch is not None and end.same_batch.num_steps == 600


@pytest.mark.parametrize("made", ["x", "(2 * x).sin()"], ids=["as it is", "features"])
def test_a_loader_that_is_started_anew_for_every_step(made: str, tmp_path: Path) -> None:
    code = f"for _ in range(20):\n    (x,) = next(iter(val_loader))\n    train({made})\n"
    records = records_of(HEAD + code, tmp_path / "a.py")
    steps = [r.same_batch for r in records if isinstance(r, StepFacts) and r.same_batch is not None]
    assert steps and steps[0].num_taken >= 8 and steps[0].length == 8


@pytest.mark.parametrize(
    "code",
    [
        "(x,) = next(iter(loader))\nfor _ in range(20): train(torch.randn(8, 8))\n",
        "for _ in range(20):\n    (x,) = next(iter(val_loader))\n    model(x)\n    train(torch.randn(8, 8))\n",
        "all = torch.randn(64, 8)\nfor _ in range(20):\n    (x,) = next(iter(val_loader))\n    train(all)\n",
        "all = torch.randn(8, 8)\n(x,) = next(iter(loader))\nfor _ in range(600): train(all)\n",
        "for _ in range(20):\n    (x,) = next(iter(loader))\n    train((2 * x).sin())\n",
        "(x,) = next(iter(loader))\nfor _ in range(8): train(x)\n",
        "for _ in range(20):\n    (x,) = next(iter(loader))\n    train(x)\n",
        "for (x,) in loader:\n    for _ in range(20): train(x)\n",
        "(x,) = next(iter(DataLoader(data, batch_size=64)))\nfor _ in range(20): train(x)\n",
    ],
    ids=[
        "not used", "looked at", "looked at beside all data", "looked at once", "features of new ones", "few steps",
        "ever new ones", "one after the other", "all data",
    ],
)  # fmt: skip
def test_other_batches(code: str, tmp_path: Path) -> None:
    records = records_of(HEAD + code, tmp_path / "a.py")
    assert all(r.same_batch is None for r in records if isinstance(r, StepFacts | EndFacts))


class Odd(Dataset[object]):
    """Samples that can't be marked, and a length that can't be told."""

    def __getitem__(self, index: int) -> object:
        return {"name": f"sample {index}", "picture": torch.ones(4, 4).to_sparse(), "nothing": None}


def test_odd_data_sets_do_not_break_the_probe() -> None:
    with watching() as watched:
        loader = DataLoader(Odd(), batch_size=2, sampler=range(6), collate_fn=list)
        for _ in range(2):
            assert len(list(loader)) == 3
        assert next(iter(DataLoader([torch.ones(3)] * 4, batch_size=None))).shape == (3,)
    assert "data" not in watched.tap.off and len([r for r in watched.records if isinstance(r, EpochFacts)]) == 3


def _trained(watched: bool) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(3)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, shuffle=True)

    def run() -> None:
        for _ in range(3):
            for (x,) in loader:
                optimizer.zero_grad()
                model(x).pow(2).mean().backward()
                optimizer.step()

    if watched:
        with watching():
            run()
    else:
        run()
    return model.weight.detach(), torch.get_rng_state()


def test_nothing_is_changed_and_nothing_drawn() -> None:
    for plain, seen in zip(_trained(False), _trained(True), strict=True):
        assert torch.equal(plain, seen)


def test_samples_that_are_trained_on_and_read(tmp_path: Path) -> None:
    code = """
loaders = {"val": DataLoader(torch.utils.data.Subset(data, range(24)), batch_size=8)}
for epoch in range(2):
    for (x,) in loader:
        train(x)
    for (x,) in loaders["val"]:
        model(x)
"""
    _, first, _, second = feeds(code, tmp_path / "a.py")
    assert first.called == ("val",) and first.overlap is not None and second.overlap is not None
    assert (first.overlap.loader, first.overlap.num_samples, first.overlap.num_trained) == (1, 24, 64)
    assert first.overlap.optimizers == (1,) and first.overlap.is_stored
    assert (second.overlap.num_updates, second.overlap.num_steps) == (16, 16)


def test_no_overlap_with_what_another_loader_gave(tmp_path: Path) -> None:
    code = """
others = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8)
for (x,) in loader:
    train(x)
for (x,) in others:
    model(x)
for (x,), _ in zip(others, val_loader):
    train(x)
for (x,) in others:
    model(x)
"""
    assert [feed.overlap for feed in feeds(code, tmp_path / "a.py")] == 5 * [None]
