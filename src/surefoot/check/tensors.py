"""Tensors inside of what a program hands around: where they stand, and numbers that tell them apart."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

Path = tuple[Any, ...]
DEPTH = 4


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Tensor]]:
    """Tensors in lists, tuples, mappings and plain objects such as the outputs of a library's models."""
    if isinstance(value, Tensor):
        yield path, value
    elif len(path) < DEPTH:
        if isinstance(value, Mapping):
            for key in list(value):
                yield from leaves(value[key], (*path, key))
        elif isinstance(value, list | tuple):
            for i, one in enumerate(value):
                yield from leaves(one, (*path, i))
        elif hasattr(value, "__dict__") and not isinstance(value, torch.nn.Module | type):
            for key, one in list(vars(value).items()):
                if isinstance(one, Tensor):
                    yield (*path, key), one


def replaced(value: Any, change: Callable[[Path, Tensor], Tensor], path: Path = ()) -> Any:
    """The same with other tensors; what can't be built anew is left as it is."""
    if isinstance(value, Tensor):
        return change(path, value)
    if len(path) >= DEPTH:
        return value
    if isinstance(value, list):
        return [replaced(one, change, (*path, i)) for i, one in enumerate(value)]
    if isinstance(value, tuple):
        items = [replaced(one, change, (*path, i)) for i, one in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return _mapping(value, {key: replaced(one, change, (*path, key)) for key, one in value.items()})
    return value


def _mapping(value: dict[Any, Any], items: dict[Any, Any]) -> Any:
    if type(value) is dict:
        return items
    try:
        return type(value)(items)
    except TypeError:
        return value


def copied(value: Any) -> Any:
    return replaced(value, lambda path, tensor: tensor.detach().clone())


def digest(tensor: Tensor) -> int:
    """Equal for equal values, bit by bit."""
    with torch.no_grad():
        plain = tensor.detach().cpu().contiguous()
        if plain.is_complex():
            plain = torch.view_as_real(plain).contiguous()
        try:
            return zlib.crc32(plain.reshape(-1).view(torch.uint8).numpy().tobytes(), plain.numel() & 0xFFFF)
        except (RuntimeError, TypeError):  # sparse, quantized and other rare kinds
            return 0


def digest_all(value: Any) -> int:
    total = 0
    for path, tensor in leaves(value):
        total = zlib.crc32(f"{path}{tuple(tensor.shape)}{digest(tensor)}".encode(), total)
    return total
