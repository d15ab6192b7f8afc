"""Whether getting samples writes to the memory that holds them, as an augmentation in place does.

A few rows of what a data set holds are compared before and after each batch of its second and third pass: the first
may fill a cache. What the program changes between two batches is its own business.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Subset, TensorDataset

from surefoot.facts import InPlaceFacts, Site
from surefoot.watch.data.batch_mark import tensors_in
from surefoot.watch.data.loader import data_sets, num_samples
from surefoot.watch.data.write import first_write

if TYPE_CHECKING:
    from surefoot.watch.epoch import Pass

PASSES = (2, 3)
WATCHED = 16  # rows
FEWEST_ROWS = 4
FEWEST_ELEMENTS = 8  # of a row: fewer may be a counter, or related by chance
MOST_ELEMENTS = 256  # of a row that are compared
MOST_BLOCKS = 4
RELATED = 0.5  # correlation of a row before and after: a new sample in its place has next to none
SAME = 0.99  # and of a row with one of the batch, which may have been scaled
BATCH_DEPTH = 3


class Block:
    """Rows of one tensor, array or list that a data set holds."""

    def __init__(self, name: str, held: Any) -> None:
        size = len(held)
        self.name = name
        self.kind = type(held).__name__
        self.places = sorted({i * size // WATCHED for i in range(WATCHED)})
        self.held = held
        self.stamp, self.rows = self.read_stamp(), self.read()
        self.changed: set[int] = set()

    def read_stamp(self) -> Hashable:
        """Changes with the rows, and is cheap to read."""
        held = self.held
        if isinstance(held, Tensor):
            return held._version
        if isinstance(held, list):
            return tuple([_stamp(held[place]) for place in self.places])
        sampled: bytes = held.reshape(len(held), -1)[self.places, :MOST_ELEMENTS].tobytes()
        return sampled

    def read(self) -> Tensor:
        rows = [torch.as_tensor(self.held[place]).detach().reshape(-1)[:MOST_ELEMENTS] for place in self.places]
        return torch.stack(rows).to(torch.float64, copy=True)


class InPlace:
    """The rows that are watched while one pass runs."""

    def __init__(self, loader: DataLoader[Any], is_user: Callable[[str], bool]) -> None:
        self.blocks = list(islice(_blocks(loader), MOST_BLOCKS))
        self.site = _site(loader, is_user)

    def fetches(self) -> None:
        """A batch is about to be put together: what somebody else has written to since is none of our business."""
        self.blocks = [block for block in self.blocks if block.read_stamp() == block.stamp]

    def fetched(self, batch: Any) -> None:
        for block in self.blocks:
            stamp = block.read_stamp()
            if stamp == block.stamp:
                continue
            before, block.rows, block.stamp = block.rows, block.read(), stamp
            for row in (before != block.rows).any(1).nonzero().flatten().tolist():
                if _correlation(before[row], block.rows[row]) > RELATED and _is_given(block.rows[row], batch):
                    block.changed.add(row)

    def facts(self) -> InPlaceFacts | None:
        found = max(self.blocks, key=lambda block: len(block.changed), default=None)
        if found is None or not found.changed:
            return None
        return InPlaceFacts(found.name, found.kind, len(found.places), len(found.changed), self.site)


def watch_in_place(running: Pass, loader: DataLoader[Any], is_user: Callable[[str], bool]) -> InPlace | None:
    if running.epoch not in PASSES or loader.num_workers or num_samples(loader) is None:
        return None
    found = InPlace(loader, is_user)
    return found if found.blocks else None


def _blocks(loader: DataLoader[Any]) -> Iterator[Block]:
    for dataset in data_sets(loader):
        if type(dataset) is Subset:
            continue
        held: dict[str, Any] = {}
        if type(dataset) is TensorDataset:
            held = {f"tensors[{i}]": tensor for i, tensor in enumerate(dataset.tensors)}
        held = {"": dataset} if isinstance(dataset, list) else held or dict(getattr(dataset, "__dict__", {}))
        for name, value in held.items():
            with suppress(Exception):  # rows of other kinds or of different sizes, a data set without a length
                if len(dataset) == len(value) >= FEWEST_ROWS and _is_readable(value):
                    yield Block(f"{type(dataset).__name__}.{name}".rstrip("."), value)


def _stamp(row: Any) -> Hashable:
    return (id(row), row._version) if isinstance(row, Tensor) else row.reshape(-1)[:MOST_ELEMENTS].tobytes()


def _is_readable(value: Any) -> bool:
    if isinstance(value, Tensor):
        return type(value) is Tensor and value.is_cpu and value.layout == torch.strided and _is_long(value[0])
    return all(map(_is_long, value)) if isinstance(value, list) else _is_array(value) and _is_long(value[0])


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value) is not numpy.ndarray:
        return False
    flags = value.flags  # one that is not contiguous could not be read without a copy of it all
    return value.dtype.kind in "fiu" and bool(flags.c_contiguous and flags.writeable)


def _is_long(row: Any) -> bool:
    if isinstance(row, Tensor):
        return type(row) is Tensor and row.is_cpu and row.numel() >= FEWEST_ELEMENTS
    return _is_array(row) and row.size >= FEWEST_ELEMENTS


def _correlation(one: Tensor, other: Tensor) -> float:
    a, b = one - one.mean(), other - other.mean()
    norm = float(a.norm() * b.norm())
    return abs(float(a @ b)) / norm if norm > 0 else 0.0


def _is_given(row: Tensor, batch: Any) -> bool:
    """Whether a row of the batch holds it: what was written is what the program gets."""
    size = len(row)
    for tensor in tensors_in(batch, BATCH_DEPTH):
        if type(tensor) is Tensor and tensor.is_cpu and tensor.ndim > 1 and tensor[0].numel() >= size:
            rows = tensor.detach().flatten(1)[:, :size].to(torch.float64)
            if any(_correlation(row, one) > SAME for one in rows):
                return True
    return False


def _site(loader: DataLoader[Any], is_user: Callable[[str], bool]) -> Site | None:
    """The line of the program that writes to a sample as it gets it, or the method in which that happens."""
    for dataset in data_sets(loader):
        code = getattr(getattr(type(dataset), "__getitem__", None), "__code__", None)
        if code is not None and is_user(code.co_filename):
            line = first_write(code.co_filename, code.co_firstlineno)
            return Site(code.co_filename, line or code.co_firstlineno, code.co_qualname)
    return None
