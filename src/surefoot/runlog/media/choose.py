"""Which of the values that a program logs are media."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefoot.runlog.media.audio import Audio
from surefoot.runlog.media.image import Image
from surefoot.runlog.media.table import Table, Text

MOST_AT_ONCE = 64  # of a list

Given = Image | Audio | Table | Text


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[Given]]]:
    """Numbers, and what is none. What is neither stays among the numbers, where it is refused by name."""
    numbers: dict[str, Any] = {}
    media: dict[str, list[Given]] = {}
    for name, value in values.items():
        found = _media_of(name, value)
        if found:
            media[name] = found
        else:
            numbers[name] = value
    return numbers, media


def _media_of(name: str, value: Any) -> list[Given]:
    if not isinstance(value, list | tuple):
        one = _medium_of(value)
        return [] if one is None else [one]
    found = [one for one in map(_medium_of, value) if one is not None]
    if not found or len(found) != len(value):
        return []
    if len(found) > MOST_AT_ONCE:
        raise ValueError(f"at most {MOST_AT_ONCE} media are logged at once, got {len(found)} for {name!r}.")
    return found


def _medium_of(value: Any) -> Given | None:
    """Arrays of two dimensions may be anything: of these, only bytes are taken for pictures."""
    if isinstance(value, Image | Audio | Table | Text):
        return value
    if isinstance(value, str):
        return None if _is_number(value) else Text(value)
    if hasattr(value, "savefig") or (hasattr(value, "getbands") and hasattr(value, "convert")):
        return Image(value)
    if hasattr(value, "itertuples") or hasattr(value, "iter_rows"):
        return Table(value)
    shape: Any = getattr(value, "shape", ())
    is_bytes = str(getattr(value, "dtype", "")).endswith("uint8")
    if (len(shape) == 3 and (shape[0] in (1, 3, 4) or shape[2] in (1, 3, 4))) or (len(shape) == 2 and is_bytes):
        return Image(value)
    return None


def _is_number(text: str) -> bool:
    """Which somebody has formatted by mistake: it is refused like any number that is none."""
    try:
        float(text)
    except ValueError:
        return False
    return True
