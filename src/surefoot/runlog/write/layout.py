"""Which series are written together, and their values as packed numbers."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

from surefoot.runlog.storable_text import storable

PLAIN = frozenset((float, int, bool))

Key = tuple[str, str, str]  # kind, name, place: as in the table of series


class Layout:
    """Made once for each set of names. `id` is what the file calls it, once the writer has stored it there."""

    __slots__ = ("id", "is_plain", "keys", "names", "num_series", "pack", "stored_id")

    def __init__(self, keys: Iterable[Key], *, is_plain: bool = True) -> None:
        self.keys = tuple((kind, storable(name), place) for kind, name, place in keys)
        self.num_series = len(self.keys)
        self.names = tuple(name for kind, name, _ in self.keys if kind == "scalar")  # all of them, or none
        self.is_plain = is_plain
        self.pack = struct.Struct(f"<{self.num_series}d").pack
        self.id: int | None = None
        self.stored_id: int | None = None  # the same, once that is committed


def scalar_layout(values: Mapping[str, Any]) -> Layout:
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"names of scalars are strings, got {name!r} of type {type(name).__name__}.")
    return Layout((("scalar", name, "") for name in values), is_plain=PLAIN.issuperset(map(type, values.values())))


def as_floats(values: Mapping[str, Any]) -> list[float]:
    """Numbers of any library, tensors of one element too; what is none is named."""
    return [_as_float(name, value) for name, value in values.items()]


def _as_float(name: str, value: Any) -> float:
    try:
        # `item` is asked first: converting a tensor that requires a gradient by float() warns.
        number = value.item() if hasattr(value, "item") else value
        if isinstance(number, str | bytes):
            raise TypeError
        return float(number)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise TypeError(
            f"a scalar must be one number, got {_told(value)} for {name!r}. Pass a float, or a tensor of one element."
        ) from None


def _told(value: Any) -> str:
    shape = getattr(value, "shape", None)
    told = f"{type(value).__name__} of shape {tuple(shape)}" if shape is not None else f"{value!r}"
    return told if len(told) < 80 else f"{told[:77]}…"
