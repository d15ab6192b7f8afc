"""What a list of runs needs to know of each, in one file for each folder of runs that is synced."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.facts.json_text import json_value
from surefoot.runlog.checksum import checksum
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.summary import Summary

_NAMES = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@frozen
class Entry:
    """A run. Numbers that are not finite are written as the names that JSON has not."""

    run: str
    source: str
    signature: str  # of the files that it was made of
    summary: Mapping[str, Any]
    settings: Sequence[Sequence[Any]] = ()  # name, text, number, type, source, value
    findings: Sequence[Sequence[Any]] = ()  # rank and the columns of the view
    series: Sequence[Sequence[Any]] = ()  # process, rank, id, kind, name, place
    metrics: Sequence[Sequence[Any]] = ()  # name, last, lowest and highest
    spark: Sequence[Any] = ()  # the loss as a small curve
    files: Sequence[Sequence[Any]] = field(default_factory=list)  # name, size, checksum

    @property
    def folder(self) -> str:
        """Below the address."""
        return f"runs/{self.source}/{self.run}"

    def line(self) -> Summary:
        given: dict[str, Any] = {one.name: self.summary.get(one.name) for one in dataclasses.fields(Summary)}
        for name in ("started", "ended"):
            given[name] = None if given[name] is None else datetime.fromisoformat(given[name])
        for name in ("last_loss", "seconds"):
            given[name] = number(given[name])
        return Summary(**given)


PARTS = tuple(one.name for one in dataclasses.fields(Entry))[3:]
LIGHT = ("summary", "spark")  # what a list shows


def number(value: Any) -> float | None:
    return _NAMES.get(value) if isinstance(value, str) else value


def write_index(entries: Sequence[Entry], target: Path) -> None:
    """A row a run, a column a part, so that a list need not read what it does not show."""
    import duckdb

    names = ("run", "source", "signature", *PARTS)
    lines = [
        json.dumps([*_head(one), *(_written((*_head(one), name), _part(one, name)) for name in PARTS)])
        for one in entries
    ]
    columns = ", ".join(f"line->>{place} AS {name}" for place, name in enumerate(names))
    with duckdb.connect(":memory:") as database:
        database.execute("CREATE TABLE lines (line JSON)")
        if lines:
            database.executemany("INSERT INTO lines VALUES (?)", [[line] for line in lines])
        quoted = str(target).replace("'", "''")
        database.execute(f"COPY (SELECT {columns} FROM lines) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")


def read_index(file: Path, parts: Sequence[str] = PARTS) -> list[Entry]:
    import duckdb

    columns = ", ".join(("run", "source", "signature", *parts))
    try:
        with duckdb.connect(":memory:") as database:
            rows = database.execute(f"SELECT {columns} FROM read_parquet(?)", [str(file)]).fetchall()
        known = [
            (row[:3], {name: _read((*row[:3], name), text) for name, text in zip(parts, row[3:], strict=True)})
            for row in rows
        ]
        return [Entry(*head, **{"summary": {}, **rest}) for head, rest in known]
    except (duckdb.Error, ValueError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[0]
        raise RunLogError(f"the index {file.name} can't be read: {reason} Remove it there, and sync again.") from None


def _head(entry: Entry) -> tuple[str, str, str]:
    return entry.run, entry.source, entry.signature


def _written(place: tuple[str, ...], part: Any) -> str:
    """A part of the run's line, after its checksum."""
    text = json.dumps(part)
    return f"{_checksum(place, text)} {text}"


def _read(place: tuple[str, ...], text: str) -> Any:
    told, _, rest = text.partition(" ")
    if told != _checksum(place, rest):
        raise ValueError(f"the {place[-1]} of {place[0]} is not as it was written.")
    return json.loads(rest)


def _checksum(place: tuple[str, ...], text: str) -> str:
    return f"{checksum(*place, text):08x}"


def _part(entry: Entry, name: str) -> Any:
    value = getattr(entry, name)
    if isinstance(value, Mapping):
        return {key: json_value(item) for key, item in value.items()}
    return [json_value(row) for row in value]
