"""What ranks have in common is written by rank 0 only: a model's weights with DDP, for example.

Common is what is the same bit by bit in the same place, found out at each save: buffers may differ between ranks, and
what the program did to one rank's weights must not get lost.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from surefoot.loop.frozen import digest
from surefoot.loop.parallel.shard import MARK, is_shard

COPY = "as rank 0 has it"  # the only key of a dict that stands for a value in rank 0's file
PARTS = ("models", "optimizers", "averages", "history")
LEAST_BYTES = 512  # what is smaller is not worth asking
LEAST_VALUES = 64
Path = tuple[Any, ...]


def is_copy(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {COPY}


def leave_out(state: dict[str, Any], told_by_first: Callable[[Any], Any], rank: int) -> dict[str, Any]:
    """`told_by_first` tells all ranks what rank 0 has."""
    own: dict[Path, str] = {}

    def note(value: Any, path: Path) -> Any:
        own[path] = _digest(value)
        return value

    parts = {key: value for key, value in state.items() if key in PARTS}
    for key, value in parts.items():
        _walked(value, (key,), note)
    first = told_by_first(own if rank == 0 else None)
    if rank == 0:
        return state

    def without(value: Any, path: Path) -> Any:
        return {COPY: True} if own[path] and first.get(path) == own[path] else value

    return {**state, **{key: _walked(value, (key,), without) for key, value in parts.items()}}


def complete(state: dict[str, Any], first: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """The reverse, with the state of rank 0."""

    def filled(value: Any, path: Path) -> Any:
        if not is_copy(value):
            return value
        found: Any = first()
        for key in path:
            found = found[key]
        return _owned(found)

    return {key: _walked(value, (key,), filled) if key in PARTS else value for key, value in state.items()}


def _owned(value: Any) -> Any:
    """Of a file that is only mapped into memory."""
    if isinstance(value, Tensor):
        return value.clone()
    return {**value, MARK: value[MARK].clone()} if is_shard(value) else value


def _walked(value: Any, path: Path, change: Callable[[Any, Path], Any]) -> Any:
    """The same containers with other leaves. torch keeps versions of modules in an attribute of theirs."""
    if _is_leaf(value):
        return change(value, path)
    if isinstance(value, Mapping):
        items = ((key, _walked(item, (*path, key), change)) for key, item in value.items())
        made: Any = type(value)(items)  # type: ignore[call-arg]
        if hasattr(value, "_metadata"):
            made._metadata = value._metadata
        return made
    if type(value) in (list, tuple):
        return type(value)(_walked(item, (*path, index), change) for index, item in enumerate(value))
    return value


def _is_leaf(value: Any) -> bool:
    is_column = type(value) is list and len(value) >= LEAST_VALUES and not isinstance(value[0], Mapping | Tensor | list)
    return isinstance(value, Tensor) or is_shard(value) or is_copy(value) or is_column


def _digest(leaf: Any) -> str:
    """Empty for what is too small to ask for."""
    if isinstance(leaf, list):
        return hashlib.sha256(repr(leaf).encode()).hexdigest()
    tensor = leaf[MARK] if is_shard(leaf) else leaf
    if tensor.numel() * tensor.element_size() < LEAST_BYTES:
        return ""
    return f"{digest(tensor)} {leaf['at']}" if is_shard(leaf) else digest(tensor)
