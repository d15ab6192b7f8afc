"""JSON for the page. What is not finite becomes "NaN", "Infinity" or "-Infinity"; long columns are written fast."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

TIMES = "%.3f"
_NAMES = {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers. `gap` is the one that means that there is no value."""

    values: Any  # a numpy array, or a list of floats
    gap: float | None = None
    form: str = "%.9g"


@dataclass(frozen=True, slots=True)
class Verbatim:
    """JSON already, and known to be so."""

    text: str


def encode(value: Any) -> str:
    if isinstance(value, Numbers):
        return _column(value)
    if isinstance(value, Verbatim):
        return value.text
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{encode(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(encode, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(_plain(value))


def plain(value: Any) -> Any:
    """The same as objects, for whoever writes JSON by other means."""
    return json.loads(encode(value))


def _column(column: Numbers) -> str:
    values = column.values if isinstance(column.values, list) else column.values.tolist()
    if not values or isinstance(values[0], int):
        return "[" + ",".join(map(str, values)) + "]"
    write = column.form.__mod__
    written = [write(value) for value in values]
    if column.gap is not None or not all(map(math.isfinite, values)):
        names = _NAMES if column.gap is None else {**_NAMES, write(column.gap): "null"}
        written = [names.get(text, text) for text in written]
    return "[" + ",".join(written) + "]"


def _number(value: float) -> str:
    text = f"{value:.9g}" if abs(value) < 1e9 else repr(value)  # times and large counts keep their digits
    return _NAMES.get(text, text)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z" if value.tzinfo is None else value.isoformat()  # the log's own are UTC
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value) if value.is_finite() else str(value)
    return value.hex() if isinstance(value, bytes) else str(value)
