"""What each series of a run came to, over every step: its last, lowest and highest value, for columns of a list."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.dashboard.data.encode import Verbatim, encode
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.runlog.read.process import StoredProcess

KINDS = ("last", "low", "high")  # of a metric, as in "low:val/loss"


@dataclass(frozen=True, slots=True)
class Metrics:
    """Of one run. Runs with the same series share their names: a folder may hold millions of these numbers."""

    places: dict[str, int]
    values: NDArray[np.float64]  # a row a series, in the order of KINDS

    def get(self, metric: str) -> float | None:
        """None if the run has no such number, as the lowest of values that are all NaN."""
        kind, _, name = metric.partition(":")
        place = self.places.get(name)
        if place is None or kind not in KINDS:
            return None
        value = float(self.values[place, KINDS.index(kind)])
        return None if math.isnan(value) and kind != "last" else value


class KnownNames:
    """The names of a run's series, one object for all runs that have the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], dict[str, int]] = {}

    def shared(self, names: Iterable[str]) -> dict[str, int]:
        key = tuple(names)
        return self._known.setdefault(key, {name: place for place, name in enumerate(key)})

    def all(self, shown: Iterable[Metrics]) -> list[str]:
        distinct = {id(one.places): one.places for one in shown}
        return sorted({name for places in distinct.values() for name in places})


def metrics_of(process: StoredProcess, indexes: SeriesIndexes, known: KnownNames) -> Metrics:
    lines = [line for line in indexes.take(process) if line["kind"] == "scalar" and line["count"]]
    rows = [[_number(line["last_value"]), _number(line["low"]), _number(line["high"])] for line in lines]
    return Metrics(known.shared(line["name"] for line in lines), np.array(rows, np.float64).reshape(-1, len(KINDS)))


def exactly(value: float) -> Any:
    """With all its digits: two runs that differ in the last one are not alike."""
    return Verbatim(repr(value)) if math.isfinite(value) else Verbatim(encode(value))


def _number(value: float | None) -> float:
    return math.nan if value is None else value
