"""What loaders are, and what programs call them."""

import sys
from typing import Any

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

from surefoot.watch.data.loader import is_shuffled_once, names_of, num_samples, sampler_kind, weights_and_draws

DATA = TensorDataset(torch.arange(32))


class Endless(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter(range(8))


class Own(SequentialSampler):
    pass


def distributed(**options: Any) -> Any:
    return DistributedSampler(DATA, num_replicas=2, rank=0, **options)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, "sequential"),
        ({"batch_size": None}, "sequential"),
        ({"shuffle": True}, "random"),
        ({"sampler": SubsetRandomSampler(range(8))}, "random"),
        ({"sampler": WeightedRandomSampler([1.0] * 8, 8)}, "random"),
        ({"sampler": distributed()}, "distributed"),
        ({"sampler": distributed(shuffle=False)}, "sequential"),
        ({"batch_sampler": BatchSampler(RandomSampler(DATA), 4, False)}, "random"),
        ({"sampler": Own(DATA)}, ""),
        ({"sampler": [3, 1, 2]}, ""),
        ({"batch_sampler": [[0, 1], [2, 3]]}, ""),
    ],
)
def test_how_samples_are_ordered(options: dict[str, Any], kind: str) -> None:
    assert sampler_kind(DataLoader(DATA, **options)) == kind


def test_iterable_style_data_sets_have_no_order_of_ours() -> None:
    loader = DataLoader(Endless())
    assert sampler_kind(loader) == "" and num_samples(loader) is None
    assert num_samples(DataLoader(DATA)) == 32


def test_a_random_split_is_shuffled_once() -> None:
    part, _ = random_split(DATA, [24, 8], torch.Generator().manual_seed(0))
    assert is_shuffled_once(DataLoader(part))
    assert not is_shuffled_once(DataLoader(Subset(DATA, range(24))))
    assert not is_shuffled_once(DataLoader(DATA))


def test_names_in_frames_and_objects() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.stream = DataLoader(Subset(DATA, range(8)))

        def names(self) -> tuple[str, ...]:
            return names_of(self.stream, sys._getframe(), lambda file: file == __file__)

    train_set = DATA
    assert set(Trainer().names()) == {"Subset", "TensorDataset", "stream", "DATA", "train_set"}
    assert train_set is DATA


def test_weights_of_a_sampler_that_puts_back_what_it_draws() -> None:
    def loader(**options: Any) -> DataLoader[Any]:
        return DataLoader(DATA, sampler=WeightedRandomSampler(torch.ones(3), **options))

    assert weights_and_draws(loader(num_samples=64)) == (3, 64)
    assert weights_and_draws(loader(num_samples=2, replacement=False)) is None
    assert weights_and_draws(DataLoader(DATA, shuffle=True)) is None
