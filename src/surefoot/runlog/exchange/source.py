"""One run of another tool: where it lies, how its numbers are read, and what it was called and set to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.labels import LONGEST_NAME, LONGEST_NOTES, Labels

Say = Callable[[str], None]


@frozen
class Point:
    name: str
    step: int
    time: float
    value: float


@frozen
class About:
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: Labels = field(default_factory=Labels)


@frozen
class Source:
    """`points(say, step)` is told the column of steps, for tables that have one by another name."""

    name: str
    files: tuple[Path, ...]
    points: Callable[[Say, str | None], Iterator[Point]]
    about: Callable[[], About] = About


class SourceError(ValueError):
    """A file can't be read as what it is, and why."""


def typed(text: str) -> Any:
    """A setting that was stored as a text: the number or the truth value that it spells."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    try:
        return json.loads(text)
    except ValueError:
        return text


def labels(name: str = "", group: str = "", tags: tuple[str, ...] = (), notes: str = "") -> Labels:
    """As far as they fit."""
    plain = tuple(tag.replace(",", " ")[:LONGEST_NAME] for tag in tags if tag.strip())
    return Labels(name[:LONGEST_NAME].strip(), group[:LONGEST_NAME].strip(), plain, notes[:LONGEST_NOTES])


def number(value: Any) -> float | None:
    """What JSON has for a number, also as the texts that stand for those it can't write."""
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, str) and value.strip("+-").lower() in ("nan", "inf", "infinity"):
        return float(value)
    return None


def numbers(values: Mapping[str, Any], lead: str = "") -> Iterator[tuple[str, float]]:
    """Those in a tree, named by their path."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from numbers(value, f"{lead}{key}.")
        elif (found := number(value)) is not None:
            yield f"{lead}{key}", found
