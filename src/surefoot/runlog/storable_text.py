"""Text as a file can hold it: names of files may be bytes that are no text, which Python keeps as lone surrogates."""

from collections.abc import Iterable
from typing import Any


def storable(text: str) -> str:
    """The same, with what UTF-8 has no bytes for written out."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def storable_row(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in values)
