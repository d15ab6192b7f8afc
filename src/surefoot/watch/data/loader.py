"""What a DataLoader is: how it orders its samples, and what the program calls it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

NUM_FRAMES = 8  # in which a loader may have a name
DEPTH = 4  # of data sets that hold another one
LOOKED_AT = 64  # indices of a subset
MOST_KEYS = 16  # of a dict of loaders


def sampler_kind(loader: DataLoader[Any]) -> str:
    """How the samples are ordered; "" where somebody else than torch decides it."""
    batches = loader.batch_sampler
    if isinstance(loader.dataset, IterableDataset) or (batches is not None and type(batches) is not BatchSampler):
        return ""
    sampler: Any = loader.sampler if batches is None else batches.sampler
    if type(sampler) is SequentialSampler:
        return "sequential"
    if type(sampler) in (RandomSampler, SubsetRandomSampler, WeightedRandomSampler):
        return "random"
    if type(sampler) is DistributedSampler:
        return "distributed" if sampler.shuffle else "sequential"
    return ""


def num_parts(loader: DataLoader[Any]) -> int:
    """Into how many a DistributedSampler cuts the data set."""
    sampler = getattr(loader.batch_sampler, "sampler", loader.sampler)
    return int(sampler.num_replicas) if isinstance(sampler, DistributedSampler) else 1


def weights_and_draws(loader: DataLoader[Any]) -> tuple[int, int] | None:
    """Of a WeightedRandomSampler: how many samples have a weight, and how many are drawn in a pass."""
    sampler = getattr(loader.batch_sampler, "sampler", loader.sampler)
    if type(sampler) is not WeightedRandomSampler or not sampler.replacement:
        return None
    return len(sampler.weights), int(sampler.num_samples)


def num_samples(loader: DataLoader[Any]) -> int | None:
    try:
        return None if isinstance(loader.dataset, IterableDataset) else len(loader.dataset)  # type: ignore[arg-type]
    except Exception:  # a data set may raise what it likes
        return None


def data_sets(loader: DataLoader[Any]) -> Iterator[Any]:
    """The data set, and those that it is a part of or wraps."""
    inner: Any = loader.dataset
    for _ in range(DEPTH):
        yield inner
        inner = getattr(inner, "__dict__", {}).get("dataset")
        if inner is None:
            return


def is_shuffled_once(loader: DataLoader[Any]) -> bool:
    """Whether the data set is a part of another, drawn in no order, as `random_split` does it."""
    for inner in data_sets(loader):
        if type(inner) is Subset:
            some = [int(index) for index in inner.indices[:LOOKED_AT]]
            if some != sorted(some):
                return True
    return False


def names_of(loader: DataLoader[Any], frame: FrameType | None, is_user: Callable[[str], bool]) -> tuple[str, ...]:
    """Class names of its data sets, and the variables and attributes that hold them or it."""
    sets = list(data_sets(loader))
    classes = [type(inner).__name__ for inner in sets]
    return tuple(dict.fromkeys([*classes, *_names_above(frame, [loader, *sets], is_user)]))


def names_of_loader(
    loader: DataLoader[Any], frame: FrameType | None, is_user: Callable[[str], bool]
) -> tuple[str, ...]:
    """The variables, attributes and keys that hold it."""
    return tuple(dict.fromkeys(_names_above(frame, [loader], is_user)))


def _names_above(frame: FrameType | None, wanted: list[Any], is_user: Callable[[str], bool]) -> Iterator[str]:
    num_frames = 0
    while frame is not None and num_frames < NUM_FRAMES:
        if is_user(frame.f_code.co_filename):
            num_frames += 1
            yield from _names_in(frame, wanted)
        frame = frame.f_back


def _names_in(frame: FrameType, wanted: list[Any]) -> list[str]:
    values = frame.f_locals
    spaces = [values, frame.f_globals, getattr(values.get("self"), "__dict__", {})]
    names = [name for space in spaces for name in _keys_of(wanted, space)]
    for space in spaces:
        for inner in [value for value in list(space.values()) if type(value) is dict and len(value) <= MOST_KEYS]:
            names += _keys_of(wanted, inner)  # as loaders["val"]
    is_copy = frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.version_info < (3, 13)
    if is_copy and sys.gettrace() is None:
        values.clear()  # it would keep the values alive as long as the frame
    return names


def _keys_of(wanted: list[Any], space: dict[Any, Any]) -> list[str]:
    return [
        name for name, value in list(space.items()) if isinstance(name, str) and any(value is one for one in wanted)
    ]
