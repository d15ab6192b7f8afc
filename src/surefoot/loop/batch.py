"""Batches of any make: tensors, tuples, dicts, dataclasses, nested."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor


def to_device(batch: Any, device: torch.device) -> Any:
    """The same batch with its tensors on `device`; what is there already, and what is no tensor, stays as it is."""
    if type(batch) in (tuple, list):  # what most loaders give: see at a glance that there is nothing to do
        for part in batch:
            if type(part) is not Tensor or part.device != device:
                break
        else:
            return batch
    if isinstance(batch, Tensor):
        return batch if batch.device == device else batch.to(device, non_blocking=True)
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(to_device(part, device) for part in batch))
    if isinstance(batch, list | tuple):
        return type(batch)(to_device(part, device) for part in batch)
    if isinstance(batch, Mapping):
        moved = {key: to_device(part, device) for key, part in batch.items()}
        return moved if type(batch) is dict else _like(batch, moved)
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        parts = {f.name: to_device(getattr(batch, f.name), device) for f in dataclasses.fields(batch) if f.init}
        return dataclasses.replace(batch, **parts)
    move = getattr(batch, "to", None)
    return move(device) if callable(move) else batch


def _like(batch: Any, moved: dict[Any, Any]) -> Any:
    """A mapping of the batch's own class, such as a tokenizer's."""
    move = getattr(batch, "to", None)
    if callable(move):
        return batch.to(next((part.device for part in moved.values() if isinstance(part, Tensor)), None))
    try:
        return type(batch)(moved)
    except TypeError:
        return moved


def tensors_of(batch: Any) -> Iterator[Tensor]:
    """All tensors of a batch, in their order."""
    if isinstance(batch, Tensor):
        yield batch
        return
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        batch = [getattr(batch, f.name) for f in dataclasses.fields(batch)]
    for part in batch.values() if isinstance(batch, Mapping) else batch if isinstance(batch, list | tuple) else ():
        yield from tensors_of(part)


def size_of(batch: Any) -> int | None:
    """How many samples a batch holds: the length of its first tensor."""
    if isinstance(batch, Tensor):
        return int(batch.shape[0]) if batch.dim() else None
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        batch = [getattr(batch, f.name) for f in dataclasses.fields(batch)]
    if isinstance(batch, Mapping):
        batch = list(batch.values())
    if isinstance(batch, list | tuple):
        return next((size for part in batch if (size := size_of(part)) is not None), None)
    return None
