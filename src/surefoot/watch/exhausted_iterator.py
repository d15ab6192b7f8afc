"""Iterators that were run through before, and give nothing any more."""

import types
from collections.abc import Iterator, Sequence
from operator import length_hint
from typing import Any

UNKNOWN = -1


def is_used_up(parameters: Any) -> bool:
    """Whether this is an iterator without anything left. Some can't tell: for these an empty result must prove it."""
    if isinstance(parameters, filter | map):
        return all(_is_empty(inner) is True for inner in _inner(parameters))
    return _is_empty(parameters) is not False


def _is_empty(iterator: Any) -> bool | None:
    if isinstance(iterator, types.GeneratorType):
        return iterator.gi_frame is None
    if not isinstance(iterator, Iterator):
        return False
    left = length_hint(iterator, UNKNOWN)
    return None if left == UNKNOWN else left == 0


def _inner(iterator: Any) -> Sequence[Any]:
    try:
        return tuple(iterator.__reduce__()[1][1:])
    except TypeError:
        return (iterator,)
