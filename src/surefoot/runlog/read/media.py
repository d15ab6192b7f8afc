"""Media of a run, as they are stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.media.kind import FILE_NAME, MEDIA, MOST_BYTES, SUFFIXES, is_whole
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.follow import Event

MOST_NAME = 500  # characters


@frozen
class StoredMedium:
    """A picture, a sound, a text or a table. `path` is its file, for other programs."""

    name: str
    step: int
    time: float
    number: int  # among those that were logged together
    kind: str
    path: Path
    num_bytes: int
    about: Mapping[str, Any] = field(default_factory=dict)

    def read(self) -> bytes:
        """Its file, checked against its checksum."""
        try:
            with self.path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise RunLogError(f"{self.path} can't be read: {error.strerror or error}.") from None
        if not is_whole(self.kind, self.path.name, content):
            raise RunLogError(f"{self.path} is damaged: it is not what was stored there.")
        return content

    def text(self) -> str:
        """Of a text."""
        if self.kind != "text":
            raise TypeError(f"{self.name} is no text, but of kind {self.kind}: path names its file.")
        return self.read().decode("utf-8", "replace")

    def rows(self) -> list[dict[str, Any]]:
        """Of a table, by the names of its columns."""
        if self.kind != "table":
            raise TypeError(f"{self.name} is no table, but of kind {self.kind}: path names its file.")
        columns, rows = parse_table(self.read())
        return [dict(zip(columns, row, strict=True)) for row in rows]


def parse_table(content: bytes) -> tuple[list[str], list[list[Any]]]:
    try:
        told = json.loads(content)
        columns, rows = told["columns"], told["rows"]
        if all(len(row) == len(columns) for row in rows):
            return [str(name) for name in columns], rows
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise RunLogError("the table is none of ours.")


def media_of(file: Path, events: Iterable[Event]) -> list[StoredMedium]:
    """Of the process with that log. An event that names anything but a file of ours is left out."""
    folder = file.with_suffix(".media")
    found = (_medium(folder, event) for event in events if event.kind == MEDIA)
    return [medium for medium in found if medium is not None]


def _medium(folder: Path, event: Event) -> StoredMedium | None:
    try:
        told = json.loads(event.text)
        name, kind, file = str(told["name"])[:MOST_NAME], told["kind"], told["file"]
        if kind not in SUFFIXES or not FILE_NAME.fullmatch(file) or not file.endswith(SUFFIXES[kind]):
            return None
        about = told.get("about")
        return StoredMedium(
            name, int(event.step), float(event.time), int(told["number"]), kind, folder / file, int(told["bytes"]),
            about if isinstance(about, dict) else {},
        )  # fmt: skip
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
        return None
