"""Runs at an address: listed by their index, and copied here when they are opened."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from surefoot.dashboard.data.encode import Numbers
from surefoot.dashboard.data.metrics import KINDS, exactly
from surefoot.dashboard.data.run_cache import MOST_NAMES, NoSuchRunError, Row, RunCache
from surefoot.runlog.read.error import DAMAGE
from surefoot.runlog.read.run import Run, load_run
from surefoot.runlog.remote.index import Entry, number
from surefoot.runlog.remote.runs import RemoteRuns

LOOK_SECONDS = 10.0  # between looks at an index that is far away


class RemoteCache(RunCache):
    def __init__(self, address: str) -> None:
        self.remote = RemoteRuns(address)
        super().__init__(self.remote.cache / "runs", allows_edits=False)
        self._entries: dict[str, Entry] = {}
        self._rows: list[Row] = []
        self._chosen: dict[str, Entry] | None = None  # with settings and metrics, once they are asked for
        self._due = 0.0

    @property
    def where(self) -> str:
        return self.remote.place.address

    def names(self) -> list[str]:
        return [row["run"] for row in self.rows()]

    def open(self, name: str) -> Run:
        self.rows()
        if name not in self._entries:
            raise NoSuchRunError(f"there is no run {name!r} at {self.where}.")
        try:
            return load_run(self.remote.fetch(name, self._entries[name]))
        except DAMAGE as error:
            raise NoSuchRunError(str(error)) from None

    def rows(self) -> list[Row]:
        with self._lock:
            self._look_there()
            return self._rows

    def columns(self, settings: list[str], metrics: list[str], *, with_metrics: bool) -> dict[str, Any]:
        with self._lock:
            self._look_there()
            if self._chosen is None:
                self._chosen = self.remote.entries(("summary", "settings", "metrics"))
            chosen = self._chosen
        found = {name: _of_entry(entry, settings, metrics) for name, entry in chosen.items()}
        return {
            "settings": sorted({row[0] for one in chosen.values() for row in one.settings})[:MOST_NAMES],
            "metrics": sorted({row[0] for one in chosen.values() for row in one.metrics})[:MOST_NAMES],
            "runs": {name: values for name, values in found.items() if values},
            "is_whole": True,
        }

    def forget(self, names: Iterable[str]) -> None:
        pass

    def _look_there(self) -> None:
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + LOOK_SECONDS
        if self.remote.refresh() or not self._rows:
            self._entries = self.remote.entries(("summary", "spark", "files"))
            self._rows = [_row(name, entry) for name, entry in reversed(self._entries.items())]
            self._chosen = None


def _row(name: str, entry: Entry) -> Row:
    row = {key: value for key, value in entry.summary.items() if key != "ids"}
    times = {key: None if row[key] is None else datetime.fromisoformat(row[key]) for key in ("started", "ended")}
    losses = {key: number(row[key]) for key in ("last_loss", "best_loss")}
    return {**row, **times, **losses, "run": name, "spark": Numbers([number(value) for value in entry.spark])}


def _of_entry(entry: Entry, settings: list[str], metrics: list[str]) -> dict[str, Any]:
    known = {row[0]: row[5] for row in entry.settings}
    numbers = {
        f"{kind}:{name}": number(value)
        for name, *values in entry.metrics
        for kind, value in zip(KINDS, values, strict=True)
    }
    return {
        **{name: known[name] for name in settings if name in known},
        **{
            name: exactly(value)
            for name in metrics
            if (value := numbers.get(name)) is not None and _is_told(name, value)
        },
    }


def _is_told(metric: str, value: float) -> bool:
    """The lowest of values that are all NaN is no number."""
    return not math.isnan(value) or metric.startswith("last:")
