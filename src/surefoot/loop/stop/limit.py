"""Stop at a number: of a value, of updates, of seconds, of epochs; or at no number at all."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from surefoot.loop.stop.condition import Condition, Part, Seen
from surefoot.loop.stop.parameter import check_count, check_name, check_number, told


def below(name: str, limit: float, *, num: int = 1) -> Condition:
    """Stop when the value is below `limit`, `num` times in a row."""
    return _Crossing("below", name, limit, num)


def above(name: str, limit: float, *, num: int = 1) -> Condition:
    """Stop when the value is above `limit`, `num` times in a row."""
    return _Crossing("above", name, limit, num)


def nonfinite(name: str = "loss") -> Condition:
    """Stop when the value is NaN or infinite."""
    return _Nonfinite(name)


def after(*, updates: int | None = None, seconds: float | None = None, epochs: int | None = None) -> Condition:
    """Stop after so many applied updates, seconds of training or epochs, over all resumes; whichever comes first."""
    return _After(updates, seconds, epochs)


class _Latest(Part):
    """Remembers the latest value and how many times in a row it counted."""

    _in_a_row: int

    def __init__(self, name: str) -> None:
        self.name = check_name(name)
        self.forget()

    @abstractmethod
    def counts(self, value: float) -> bool: ...

    def observe(self, seen: Seen) -> None:
        if self.name in seen.values:
            self._value, self._update = float(seen.values[self.name]), seen.update
            self._in_a_row = self._in_a_row + 1 if self.counts(self._value) else 0

    def forget(self) -> None:
        self._value, self._update, self._in_a_row = math.nan, 0, 0

    def remembered(self) -> dict[str, Any]:
        return {"value": self._value, "update": self._update, "in_a_row": self._in_a_row}

    def recall(self, state: Mapping[str, Any]) -> None:
        self._value, self._update = state["value"], state["update"]
        # The limit may be another one now, and then what is counted in a row is not what it was.
        self._in_a_row = state["in_a_row"] if self.counts(self._value) else 0


class _Crossing(_Latest):
    def __init__(self, kind: str, name: str, limit: float, num: int) -> None:
        self.kind = kind
        self.limit = check_number("limit", limit)
        self.num = check_count("num", num, least=1)
        super().__init__(name)

    def counts(self, value: float) -> bool:
        return value < self.limit if self.kind == "below" else value > self.limit

    def reason(self) -> str | None:
        if self._in_a_row < self.num:
            return None
        value, limit = told(self._value, self.limit), told(self.limit, self._value)
        times = f" in {self._in_a_row} observations in a row" if self.num > 1 else ""
        return f"{self.name} {value} is {self.kind} {limit}{times} at update {self._update}"


class _Nonfinite(_Latest):
    kind = "nonfinite"

    def counts(self, value: float) -> bool:
        return not math.isfinite(value)

    def reason(self) -> str | None:
        return f"{self.name} is {told(self._value)} at update {self._update}" if self._in_a_row else None


class _After(Part):
    kind = "after"

    def __init__(self, updates: int | None, seconds: float | None, epochs: int | None) -> None:
        if updates is None and seconds is None and epochs is None:
            raise TypeError("after() needs at least one of updates=, seconds= and epochs=, got none.")
        self.updates = math.inf if updates is None else check_count("updates", updates, least=1)
        self.seconds = math.inf if seconds is None else check_number("seconds", seconds)
        self.epochs = math.inf if epochs is None else check_count("epochs", epochs, least=1)
        if self.seconds <= 0:
            raise ValueError(f"seconds must be above 0, got {seconds}.")
        self.forget()

    def observe(self, seen: Seen) -> None:
        self._update, self._seconds, self._epoch = seen.update, seen.seconds, seen.epoch

    def reason(self) -> str | None:
        if self._update >= self.updates:
            return f"update {self._update} of at most {self.updates} is done"
        if self._epoch >= self.epochs:
            return f"epoch {self._epoch} of at most {self.epochs} is done, at update {self._update}"
        if self._seconds >= self.seconds:
            return f"{self._seconds:.1f} seconds of at most {told(self.seconds)} have passed, at update {self._update}"
        return None

    def forget(self) -> None:
        self._update, self._seconds, self._epoch = 0, 0.0, 0

    def remembered(self) -> dict[str, Any]:
        return {"update": self._update, "seconds": self._seconds, "epoch": self._epoch}

    def recall(self, state: Mapping[str, Any]) -> None:
        self._update, self._seconds, self._epoch = state["update"], state["seconds"], state["epoch"]
