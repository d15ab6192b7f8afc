"""Stop when the best value has not been beaten for a while."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from surefoot.loop.stop.condition import Condition, Part, Seen
from surefoot.loop.stop.parameter import check_count, check_mode, check_name, check_number, told


def patience(name: str, num: int, *, min_delta: float = 0.0, mode: str = "min") -> Condition:
    """Stop after `num` observations of the value in a row that did not beat the best by more than `min_delta`.

    Observations, not epochs: `val/loss` has one per validation, `loss` one per update. NaN never beats anything.
    """
    return _Patience(name, num, min_delta, mode)


class _Patience(Part):
    kind = "patience"
    _best: float | None  # as a cost: smaller is better
    _num_without: int

    def __init__(self, name: str, num: int, min_delta: float, mode: str) -> None:
        self.name = check_name(name)
        self.num = check_count("num", num, least=1)
        self.min_delta = check_number("min_delta", min_delta)
        if self.min_delta < 0:
            raise ValueError(f"min_delta must be at least 0, got {min_delta}.")
        self._sign = check_mode(mode)
        self.forget()

    def observe(self, seen: Seen) -> None:
        if self.name not in seen.values:
            return
        value = float(seen.values[self.name])
        cost = math.inf if math.isnan(value) else self._sign * value
        self._update = seen.update
        if self._best is None or self._best - cost > self.min_delta:
            self._best, self._best_update, self._num_without = cost, seen.update, 0
        else:
            self._num_without += 1

    def reason(self) -> str | None:
        if self._num_without < self.num or self._best is None:
            return None
        return (
            f"{self.name} did not improve on {told(self._sign * self._best)} of update {self._best_update} in "
            f"{self._num_without} observation{'s' if self._num_without > 1 else ''}, until update {self._update}"
        )

    def forget(self) -> None:
        self._best = None
        self._best_update, self._num_without, self._update = 0, 0, 0

    def remembered(self) -> dict[str, Any]:
        return {
            "best": self._best, "best_update": self._best_update, "num_without": self._num_without,
            "update": self._update,
        }  # fmt: skip

    def recall(self, state: Mapping[str, Any]) -> None:
        self._best, self._best_update = state["best"], state["best_update"]
        self._num_without, self._update = state["num_without"], state["update"]
