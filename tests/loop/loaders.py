"""Loaders of every kind; each function makes one anew, as a program does when it is started again."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, Sampler, TensorDataset

from surefoot.loop.tensors import TensorBatches

NUM_SAMPLES = 11
BATCH_SIZE = 3


class Augmented(Dataset[Tensor]):
    """Draws from all three libraries for each item, as augmentations do."""

    def __len__(self) -> int:
        return NUM_SAMPLES

    def __getitem__(self, index: int) -> Tensor:
        return torch.tensor([index, torch.rand(()).item(), random.random(), np.random.rand()], dtype=torch.float64)


class OwnGenerators(Augmented):
    """Draws from generators of its own."""

    def __init__(self) -> None:
        self.torch, self.python = torch.Generator().manual_seed(1), random.Random(1)
        self.numpy = [np.random.default_rng(1), np.random.Generator(np.random.MT19937(1)), np.random.RandomState(1)]
        self.lottery = random.SystemRandom()  # has no state to keep

    def __getitem__(self, index: int) -> Tensor:
        drawn = [torch.rand((), generator=self.torch).item(), self.python.random(), self.numpy[2].rand()]
        return torch.tensor([index, *drawn, *(g.random() for g in self.numpy[:2])], dtype=torch.float64)


class ShuffleBuffer(IterableDataset[Tensor]):
    """Keeps random choices for later: which items are left depends on everything drawn so far."""

    def __iter__(self) -> Iterator[Tensor]:
        held = list(range(4))
        for index in range(4, NUM_SAMPLES):
            yield torch.tensor([held.pop(int(torch.randint(len(held), ()))), random.random()])
            held.append(index)
        random.shuffle(held)
        yield from (torch.tensor([float(index), np.random.rand()]) for index in held)


class LazySampler(Sampler[int]):
    """Draws each index when it is asked for."""

    def __len__(self) -> int:
        return NUM_SAMPLES

    def __iter__(self) -> Iterator[int]:
        held = list(range(NUM_SAMPLES))
        while held:
            yield held.pop(int(torch.randint(len(held), ())))


class Stateful:
    """Says and takes back where it is."""

    def __init__(self) -> None:
        self.position = 0

    def __iter__(self) -> Iterator[Tensor]:
        while self.position < 4:
            self.position += 1
            yield torch.tensor([self.position]) + torch.rand(1)
        self.position = 0

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.position = state["position"]


class OldSequence:
    """Iterable because it can be indexed."""

    def __getitem__(self, index: int) -> Tensor:
        if index == 4:
            raise IndexError
        return torch.rand(2)


def make_function() -> Callable[[], Iterator[Tensor]]:
    shuffler = torch.Generator().manual_seed(5)

    def batches() -> Iterator[Tensor]:
        for index in torch.randperm(4, generator=shuffler).tolist():
            yield torch.rand(2) + index

    return batches


def make_buffer_function() -> Callable[[], Iterator[Tensor]]:
    return lambda: iter(ShuffleBuffer())


def of(dataset: Any, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        own = {"generator": torch.Generator().manual_seed(3)} if options.get("own") else {}
        sampler = {"sampler": options["sampler"]()} if "sampler" in options else {}
        plain = {name: value for name, value in options.items() if name not in ("own", "sampler")}
        return DataLoader(dataset(), batch_size=BATCH_SIZE, **plain, **own, **sampler)

    return make


def distributed() -> DistributedSampler[Any]:
    return DistributedSampler(Augmented(), num_replicas=2, rank=1)  # type: ignore[arg-type]


LOADERS: dict[str, Callable[[], Any]] = {
    "plain": of(lambda: TensorDataset(torch.arange(NUM_SAMPLES))),
    "augmented": of(Augmented),
    "shuffled": of(Augmented, shuffle=True),
    "own generator": of(Augmented, shuffle=True, own=True),
    "dataset's generators": of(OwnGenerators, shuffle=True),
    "lazy sampler": of(Augmented, sampler=LazySampler),
    "distributed": of(Augmented, sampler=distributed),
    "iterable": of(ShuffleBuffer),
    "tensors": lambda: TensorBatches(torch.arange(NUM_SAMPLES), batch_size=BATCH_SIZE, shuffle=True),
    "list": lambda: [torch.tensor([index]) for index in range(4)],
    "tuple": lambda: tuple(torch.tensor([index]) for index in range(4)),
    "function": make_function,
    "function with a buffer": make_buffer_function,
    "iterable without DataLoader": ShuffleBuffer,
    "stateful": Stateful,
    "indexed": OldSequence,
}
WITH_WORKERS: dict[str, Callable[[], Any]] = {
    "2 workers": of(Augmented, num_workers=2),
    "2 workers, shuffled": of(Augmented, num_workers=2, shuffle=True),
    "2 workers, own generator": of(Augmented, num_workers=2, shuffle=True, own=True),
    "2 workers, lazy sampler": of(Augmented, num_workers=2, sampler=LazySampler),
    "2 workers, iterable": of(ShuffleBuffer, num_workers=2),
    "2 workers that live on": of(Augmented, num_workers=2, shuffle=True, persistent_workers=True),
}
