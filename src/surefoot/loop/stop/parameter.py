"""Checks of what users pass to conditions, in the same words everywhere, and numbers as reasons tell them."""

from __future__ import annotations

import math

MODES = ("min", "max")


def check_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"name must be the name of a value, such as 'loss' or 'val/loss', got {name!r}.")
    return name


def check_count(what: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{what} must be at least {least}, got {value}.")
    return value


def check_number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{what} must be a number, got {value!r}.")
    if math.isnan(value):
        raise ValueError(f"{what} must be a number that values can be compared with, got nan.")
    return float(value)


def check_mode(mode: object) -> float:
    """1 where small values are good, -1 where large ones are: with it, smaller is always better."""
    if mode not in MODES:
        raise ValueError(f"mode must be 'min' (smaller is better) or 'max' (larger is better), got {mode!r}.")
    return 1.0 if mode == "min" else -1.0


def told(value: float, beside: float | None = None) -> str:
    """A number for a sentence, with as many digits as it takes to differ from the one beside it."""
    short = f"{value:.4g}"
    return repr(value) if beside is not None and value != beside and short == f"{beside:.4g}" else short
