"""One setting: what it may be, and what is said if it is something else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Number:
    """From `least` to `most`; with `is_above` only above `least`, with `is_below` only below `most`."""

    name: str
    title: str
    default: float
    least: float = 0.0
    most: float = 1000.0
    is_above: bool = False
    is_below: bool = False
    kind: str = field(default="number", init=False)

    def read(self, given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise ValueError(f"{self.title} must be a number, got {shown(given)}.")
        if not self._holds(given):
            raise ValueError(f"{self.title} must be {self._range()}, got {shown(given)}.")
        return float(given)

    def _holds(self, value: float) -> bool:
        """False for NaN too."""
        is_enough = value > self.least if self.is_above else value >= self.least
        return is_enough and (value < self.most if self.is_below else value <= self.most)

    def _range(self) -> str:
        low = f"above {self.least:g}" if self.is_above else f"at least {self.least:g}"
        return f"{low} and {'below' if self.is_below else 'at most'} {self.most:g}"


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number."""

    name: str
    title: str
    default: int
    least: int = 1
    most: int = 1000
    kind: str = field(default="count", init=False)

    def read(self, given: Any) -> int:
        is_number = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
        if not is_number or given != int(given):
            raise ValueError(f"{self.title} must be a whole number, got {shown(given)}.")
        if not self.least <= given <= self.most:
            raise ValueError(f"{self.title} must be from {self.least} to {self.most:,}, got {shown(given)}.")
        return int(given)


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    name: str
    title: str
    default: bool = False
    kind: str = field(default="switch", init=False)

    def read(self, given: Any) -> bool:
        if not isinstance(given, bool):
            raise ValueError(f"{self.title} must be true or false, got {shown(given)}.")
        return given


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some names, each with a title."""

    name: str
    title: str
    default: str
    choices: Mapping[str, str]
    kind: str = field(default="choice", init=False)

    def read(self, given: Any) -> str:
        if not isinstance(given, str) or given not in self.choices:
            raise ValueError(f"{self.title} must be one of {', '.join(self.choices)}, got {shown(given)}.")
        return given


Field = Number | Count | Switch | Choice


def shown(given: Any) -> str:
    """A value in a message: short, whatever it is."""
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > 10**15:
        return "a number with very many digits"
    text = repr(given)
    return text if len(text) <= 40 else f"{text[:40]}…"
