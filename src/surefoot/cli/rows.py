"""Rows as CSV or JSON. What is not finite is kept: nan, inf, -inf in CSV; "NaN", "Infinity", "-Infinity" in JSON."""

import csv
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import IO, Any

from surefoot.facts.json_text import json_text

Batches = Iterable[Sequence[Sequence[Any]]]


def print_csv(columns: Sequence[str], batches: Batches, stream: IO[str]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for batch in batches:
        writer.writerows([_csv(value) for value in row] for row in batch)


def print_json(columns: Sequence[str], batches: Batches, stream: IO[str]) -> None:
    """A list of objects, a line each."""
    before = "[\n"
    for batch in batches:
        for row in batch:
            line = dict(zip(columns, row, strict=True))
            stream.write(f"{before}{json_text(line)}")
            before = ",\n"
    stream.write("\n]\n" if before != "[\n" else "[]\n")


def _csv(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json_text(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return float(value)
    return value if value is None or isinstance(value, int | float | str) else str(value)
