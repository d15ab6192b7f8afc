"""JSON as every command writes it. JSON has no NaN and no infinity: they become "NaN", "Infinity" and "-Infinity"."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any


def json_text(value: Any, *, indent: int | None = None) -> str:
    return json.dumps(json_value(value), indent=indent, ensure_ascii=False, allow_nan=False)


def json_value(value: Any) -> Any:
    """The same in the types that JSON has; what it has no type for becomes a string."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_value(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return json_value(float(value)) if isinstance(value, Decimal) else str(value)
