"""The runs of a folder, each with the row that a list of them shows. Nothing is read twice that is the same."""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.dashboard.data.metrics import KnownNames, Metrics, exactly, metrics_of
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.dashboard.data.spark import spark
from surefoot.dashboard.data.tracks import Memory
from surefoot.runlog.edits import is_edit_file
from surefoot.runlog.read.error import DAMAGE, RunLogError, Unreadable
from surefoot.runlog.read.run import Run, load_run
from surefoot.runlog.read.runs import Runs
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.setting import Value

SPARK_SECONDS = 1.0  # for the curves of a list; what is not ready then comes later
METRIC_SECONDS = 1.0  # for numbers of all series
MOST_NAMES = 5000  # of settings
RECHECK = 10  # looks at a run that has ended: it changes no more, unless somebody puts another in its place

Signature = tuple[tuple[str, int, int], ...]
Row = dict[str, Any]


class NoSuchRunError(Exception):
    """Said to the page as it is."""


@dataclasses.dataclass(slots=True)
class Line:
    """A run's row as it was when its files looked like this."""

    signature: Signature
    row: Row
    num_looks: int = 0
    is_whole: bool = False  # the curve is there
    settings: dict[str, Value] = dataclasses.field(default_factory=dict)
    metrics: Metrics | None = None  # until somebody asks


class RunCache:
    def __init__(self, folder: Path, *, allows_edits: bool = True) -> None:
        self.folder = folder
        self.allows_edits = allows_edits
        self.runs = Runs(folder)
        self.memory = Memory()
        self._lines: dict[str, Line] = {}
        self._indexes, self._names = SeriesIndexes(), KnownNames()
        self._lock = threading.Lock()

    @property
    def where(self) -> str:
        """For people."""
        return str(self.folder)

    def names(self) -> list[str]:
        """The newest first; none if the folder is not there yet."""
        try:
            return list(reversed(self.runs.names()))
        except RunLogError:
            return []

    def open(self, name: str) -> Run:
        """Only what the folder lists: no name leads anywhere else."""
        real = {as_text(known): known for known in _entries(self.folder)}.get(name)
        if real is None:
            raise NoSuchRunError(f"there is no run {name!r} in {self.folder}.")
        try:
            return load_run(self.folder / real)
        except DAMAGE as error:
            raise NoSuchRunError(str(error)) from None

    def rows(self) -> list[Row]:
        """All of them. Curves take a while to read: those that are not ready in time are None, until later."""
        with self._lock:
            names = self.names()
            for gone in self._lines.keys() - set(names):
                del self._lines[gone]
            deadline = time.monotonic() + SPARK_SECONDS
            for name in names:
                run = self._look(name)
                if not self._lines[name].is_whole and time.monotonic() < deadline:
                    self._add_curve(name, run or _load(self.folder, name))
            return [self._lines[name].row for name in names]

    def columns(self, settings: list[str], metrics: list[str], *, with_metrics: bool) -> dict[str, Any]:
        """The names of all settings, and with them of all series; of each run what is wanted of both.

        Series take a while to read: those of all runs were read if it `is_whole`.
        """
        self.rows()
        with self._lock:
            is_whole = not with_metrics or self._read_metrics()
            lines = {as_text(name): line for name, line in self._lines.items()}
        found = {run: _chosen(line, settings, metrics) for run, line in lines.items()}
        return {
            "settings": sorted({name for line in lines.values() for name in line.settings})[:MOST_NAMES],
            "metrics": self._names.all(line.metrics for line in lines.values() if line.metrics)[:MOST_NAMES],
            "runs": {run: values for run, values in found.items() if values},
            "is_whole": is_whole,
        }

    def _read_metrics(self) -> bool:
        deadline = time.monotonic() + METRIC_SECONDS
        for name, line in self._lines.items():
            if line.metrics is None and line.row["status"] != "unreadable":
                if time.monotonic() > deadline:
                    return False
                try:
                    line.metrics = metrics_of(load_run(self.folder / name).process(0), self._indexes, self._names)
                except DAMAGE:
                    line.metrics = Metrics({}, np.empty((0, 3)))
        return True

    def forget(self, names: Iterable[str]) -> None:
        """Look at them anew: they were edited."""
        with self._lock:
            for name in names:
                self._lines.pop(name, None)

    def row(self, run: Run) -> Row:
        """Of one run that was just opened."""
        return row_of(run, self.memory)

    def _look(self, name: str) -> Run | Unreadable | None:
        """Bring its line up to date; the run, if that was needed."""
        line = self._lines.get(name)
        if line is not None and line.row["status"] not in ("running", "unreadable"):
            line.num_looks += 1
            if line.num_looks % RECHECK:
                return None
        signature = signature_of(self.folder / name)
        if line is not None and line.signature == signature and line.row["status"] != "running":
            return None
        run = _load(self.folder, name)
        if line is not None and line.signature == signature:  # alive still, or no more
            line.row = {**line.row, **_row(run)}
        else:
            before = {} if line is None else {key: line.row[key] for key in ("best_loss", "spark")}
            self._lines[name] = Line(signature, {"best_loss": None, "spark": None, **before, **_row(run)})
        if isinstance(run, Run):
            self._lines[name].settings = {key: setting.value for key, setting in run.settings.items()}
        return run

    def _add_curve(self, name: str, run: Run | Unreadable) -> None:
        line = self._lines[name]
        line.is_whole = True
        if isinstance(run, Run):
            line.row = {**line.row, **spark(run, self.memory)}


def _chosen(line: Line, settings: list[str], metrics: list[str]) -> dict[str, Any]:
    """By name; of series as in "low:val/loss"."""
    numbers = {} if line.metrics is None else {metric: line.metrics.get(metric) for metric in metrics}
    return {
        **{name: line.settings[name] for name in settings if name in line.settings},
        **{metric: exactly(value) for metric, value in numbers.items() if value is not None},
    }


def row_of(run: Run, memory: Memory) -> Row:
    return {**_row(run), **spark(run, memory)}


def signature_of(folder: Path) -> Signature:
    """Changes with every commit and edit: times and sizes of databases, of what is not yet in them, and of edits."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_edit_file(entry.name) or (".db" in entry.name and not entry.name.endswith("-shm")):
                    stat = entry.stat()
                    found.append((entry.name, stat.st_mtime_ns, stat.st_size))
    except OSError:
        return ()
    return tuple(sorted(found))


def as_text(name: str) -> str:
    """Names of files may hold bytes that are no UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()


def _entries(folder: Path) -> Iterable[str]:
    try:
        return [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")]
    except OSError:
        return []


def _load(folder: Path, name: str) -> Run | Unreadable:
    try:
        return load_run(folder / name)
    except DAMAGE as error:
        return Unreadable(name, str(error))


def _row(run: Run | Unreadable) -> Row:
    (line,) = summarize([run])
    return {field.name: getattr(line, field.name) for field in dataclasses.fields(line)}
