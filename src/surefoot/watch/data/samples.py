"""Which samples a loader draws from: known by what holds them, so that none has to be read."""

from __future__ import annotations

import enum
import weakref
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
)

from surefoot.watch.data.loader import sampler_kind

MOST_SAMPLES = 2_000_000  # of a loader; more would take noticeable time
DEPTH = 6  # of data sets that hold others
_PLAIN = (str, int, float, bool, type(None), enum.Enum)
_ATOMS = (str, bytes, int, float, bool, type(None))  # equal ones may be one object

_STORING = ("torchvision", "torchaudio")  # their data sets read files

Place = tuple[Hashable, Hashable]


@dataclass(slots=True)
class Source:
    """The samples of one loader, found again later if the data set still exists."""

    dataset: Callable[[], Any]
    drawn: Sequence[int]  # indices into the data set
    states: dict[int, tuple[Any, ...]]  # by id, of data sets that the program may switch

    def places(self) -> Samples | None:
        dataset = self.dataset()
        if dataset is None or len(self.drawn) > MOST_SAMPLES:
            return None
        found = Samples(set(), is_stored=True)
        return found if _locate(dataset, self.drawn, found, DEPTH) else None


@dataclass(slots=True)
class Samples:
    places: set[Place]
    is_stored: bool  # what a place holds is known to stay the same, so that it need not be looked at


def source_of(loader: DataLoader[Any]) -> Source | None:
    """None where it can't be told, as with samplers of the program."""
    drawn = _drawn(loader)
    if drawn is None:
        return None
    dataset: Any = loader.dataset
    try:
        ref: Callable[[], Any] = weakref.ref(dataset)
    except TypeError:  # lists have no weak references
        owner = weakref.ref(loader)
        ref = lambda: getattr(owner(), "dataset", None)  # noqa: E731
    return Source(ref, drawn, _states(dataset, DEPTH))


def _drawn(loader: DataLoader[Any]) -> Sequence[int] | None:
    if not sampler_kind(loader):
        return None
    sampler: Any = getattr(loader.batch_sampler, "sampler", loader.sampler)
    if type(sampler) is SubsetRandomSampler:
        return [int(index) for index in sampler.indices]
    every = type(sampler) in (SequentialSampler, DistributedSampler) or (
        type(sampler) is RandomSampler and not sampler.replacement and sampler._num_samples is None
    )
    length = length_of(loader.dataset)
    return range(length) if every and length is not None else None


def length_of(dataset: Any) -> int | None:
    """None where a data set has no length, or one that can't be asked for: its sampler may know how many there are."""
    try:
        return len(dataset)
    except (TypeError, AttributeError, NotImplementedError):
        return None


def _locate(dataset: Any, drawn: Sequence[int], found: Samples, depth: int) -> bool:
    kind = type(dataset)
    if not depth:
        return False
    if kind is Subset:
        return _locate(dataset.dataset, [int(dataset.indices[i]) for i in drawn], found, depth - 1)
    if kind is ConcatDataset:
        return _locate_parts(dataset, drawn, found, depth)
    if kind is TensorDataset:
        return _locate_rows(dataset.tensors, drawn, found)
    if kind in (list, tuple):
        if any(isinstance(dataset[i], _ATOMS) for i in drawn):
            return False
        found.places.update(("item", id(dataset[i])) for i in drawn)
        return True
    found.is_stored &= _is_of(dataset, *_STORING)
    rows = _rows_of(dataset)
    if rows and _locate_rows(rows, drawn, found):
        return True
    found.places.update((id(dataset), i) for i in drawn)
    return True


def _rows_of(dataset: Any) -> list[Tensor]:
    """What a data set of the program holds one row of for each sample: two of them may hold slices of one tensor."""
    size = length_of(dataset)
    held = (_as_tensor(value) for value in getattr(dataset, "__dict__", {}).values())
    return [tensor for tensor in held if tensor is not None and tensor.ndim and len(tensor) == size]


def _as_tensor(value: Any) -> Tensor | None:
    if type(value) is Tensor:
        return value
    if type(value) is not np.ndarray or not value.flags.writeable or not value.dtype.isnative:
        return None
    size = value.dtype.itemsize
    is_plain = value.dtype.kind in "fib" and size <= 8 and all(step >= 0 and step % size == 0 for step in value.strides)
    return torch.from_numpy(value) if is_plain else None


def _locate_parts(dataset: Any, drawn: Sequence[int], found: Samples, depth: int) -> bool:
    ends, inner = dataset.cumulative_sizes, list[list[int]]([[] for _ in dataset.datasets])
    for i in drawn:
        part = bisect_right(ends, i)
        inner[part].append(i - (ends[part - 1] if part else 0))
    parts = [(one, places) for one, places in zip(dataset.datasets, inner, strict=True) if places]
    return all(_locate(one, places, found, depth - 1) for one, places in parts)


def _locate_rows(tensors: Sequence[Tensor], drawn: Sequence[int], found: Samples) -> bool:
    """Rows of tensors are known by their addresses: slices of one tensor share them."""
    if any(type(tensor) is not Tensor or not tensor.ndim or not tensor.numel() for tensor in tensors):
        return False
    layout = tuple((tensor.dtype, tensor.device, tensor.shape[1:], tensor.stride()[1:]) for tensor in tensors)
    rows = [(tensor.data_ptr(), tensor.stride(0) * tensor.element_size()) for tensor in tensors]
    if any(step == 0 for _, step in rows):
        return False  # an expanded tensor: all rows are one
    found.places.update((layout, tuple(start + i * step for start, step in rows)) for i in drawn)
    return True


def _states(dataset: Any, depth: int) -> dict[int, tuple[Any, ...]]:
    """What data sets of other classes hold: a program may switch one object from training to validation data."""
    kind = type(dataset)
    if depth and kind in (Subset, ConcatDataset):
        inner = [dataset.dataset] if kind is Subset else dataset.datasets
        return {key: state for one in inner for key, state in _states(one, depth - 1).items()}
    if _is_of(dataset, "builtins", "torch", *_STORING):
        return {}
    values = list(getattr(dataset, "__dict__", {}).items())
    return {id(dataset): tuple((name, value if isinstance(value, _PLAIN) else id(value)) for name, value in values)}


def _is_of(dataset: Any, *libraries: str) -> bool:
    return type(dataset).__module__.partition(".")[0] in libraries
