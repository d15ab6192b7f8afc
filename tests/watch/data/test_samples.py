"""Which samples a loader draws from, and whether training draws from them too."""

from typing import Any

import numpy as np
import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
)

from surefoot.watch.data.overlap import _num_shared
from surefoot.watch.data.samples import source_of

X, Y = torch.randn(12, 3), torch.arange(12)
DATA = TensorDataset(X, Y)


class Own(Dataset[Any]):
    def __init__(self) -> None:
        self.part = "train"

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        return X[index]


def num_shared(read: Any, trained: Any) -> int:
    loaders = [one if isinstance(one, DataLoader) else DataLoader(one) for one in (read, trained)]
    sources = [source_of(loader) for loader in loaders]
    assert sources[0] is not None and sources[1] is not None
    return _num_shared(sources[0], sources[1])


def is_within(read: Any, trained: Any) -> bool:
    read = read if isinstance(read, DataLoader) else DataLoader(read)
    source = source_of(read)
    return source is not None and 0 < len(source.drawn) == num_shared(read, trained)


def test_samples_that_both_have_are_counted() -> None:
    assert num_shared(Subset(DATA, range(6)), Subset(DATA, range(4, 12))) == 2
    assert num_shared(TensorDataset(X[4:8], Y[4:8]), TensorDataset(X[:6], Y[:6])) == 2
    assert num_shared(Subset(DATA, [0, 1]), Subset(DATA, [2, 3])) == 0


class Held(Dataset[Any]):
    """Of the program's own, with a row for each sample."""

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y, self.scale = x, y, torch.ones(3)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> Any:
        return self.x[index] * self.scale, self.y[index]


def test_rows_of_own_data_sets_are_known_by_their_memory() -> None:
    x, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12)
    for rows, targets in ((X, Y), (x, y)):
        assert num_shared(Held(rows[3:], targets[3:]), Held(rows[:8], targets[:8])) == 5
        assert num_shared(Held(rows[8:], targets[8:]), Held(rows[:8], targets[:8])) == 0
        assert num_shared(Held(rows + 0, targets), Held(rows, targets)) == 0  # other inputs
        assert num_shared(Held(rows, targets), Held(rows, targets)) == 12
    assert num_shared(Held(X[::2], Y[::2]), Held(X[1::2], Y[1::2])) == 0


def test_rows_are_known_by_their_memory() -> None:
    assert is_within(Subset(DATA, [3, 5]), DATA) and not is_within(DATA, Subset(DATA, [3, 5]))
    assert is_within(TensorDataset(X[4:8], Y[4:8]), TensorDataset(X[:8], Y[:8]))
    assert not is_within(TensorDataset(X[4:8], Y[4:8]), TensorDataset(X[:6], Y[:6]))
    assert not is_within(TensorDataset(X.clone(), Y), DATA)
    assert not is_within(TensorDataset(X, Y.flip(0)), DATA)  # other targets


def test_expanded_and_empty_tensors_tell_nothing() -> None:
    one = TensorDataset(torch.zeros(1, 3).expand(4, 3))
    assert not is_within(one, one)
    assert not is_within(TensorDataset(X[:0]), DATA)


def test_parts_of_parts() -> None:
    both: ConcatDataset[Any] = ConcatDataset([Subset(DATA, range(4)), Subset(DATA, range(6, 12))])
    assert is_within(Subset(both, [5]), DATA) and is_within(Subset(DATA, [0, 7]), both)
    assert not is_within(Subset(DATA, [5]), both)


def test_items_of_lists() -> None:
    rows = list(zip(X, Y, strict=True))
    assert is_within(rows[3:6], rows) and not is_within(list(zip(X, Y, strict=True)), rows)
    assert not is_within([0, 1], [0, 1, 2])  # equal numbers are one object


def test_an_object_that_was_switched_holds_other_samples() -> None:
    own = Own()
    trained = source_of(DataLoader(own))
    assert trained is not None and _num_shared(trained, trained) == 12
    own.part = "val"
    read = source_of(DataLoader(own))
    assert read is not None and _num_shared(read, trained) == 0


def test_samplers() -> None:
    part = DataLoader(DATA, sampler=SubsetRandomSampler([1, 2]))
    assert is_within(part, DATA) and not is_within(DATA, part)
    assert source_of(DataLoader(DATA, sampler=RandomSampler(DATA, num_samples=3))) is None
    assert source_of(DataLoader(DATA, sampler=[0, 1])) is None


def test_a_data_set_that_is_gone() -> None:
    source = source_of(DataLoader(Own()))
    assert source is not None and source.places() is None


def test_a_data_set_without_a_length_is_known_by_nothing() -> None:
    class Endless(Own):
        def __len__(self) -> int:
            raise TypeError("what it holds has no len()")

    loader: DataLoader[Any] = DataLoader(Own())
    loader.__dict__["dataset"] = Endless()
    assert source_of(loader) is None
