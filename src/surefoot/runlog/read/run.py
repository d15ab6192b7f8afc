"""One run: the files of all its processes."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.runlog.edits import Edits, read_edits
from surefoot.runlog.labels import Labels, read_labels
from surefoot.runlog.read.bucket import Buckets, bucket
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.connection import is_whole
from surefoot.runlog.read.error import RunLogError, warn_of
from surefoot.runlog.read.identity import check_identity, missing_commits, missing_tail, strangers
from surefoot.runlog.read.media import StoredMedium
from surefoot.runlog.read.meta import Status
from surefoot.runlog.read.process import StoredProcess, read_process
from surefoot.runlog.read.segment import WHOLE, Part
from surefoot.runlog.setting import Setting, read_settings
from surefoot.runlog.write.recover import last_commit, recover

if TYPE_CHECKING:
    from surefoot.runlog.read.sql.answer import Answer

_WORST_FIRST: tuple[Status, ...] = ("running", "crashed", "failed", "finished")


@dataclass(frozen=True)
class Run:
    """A folder. `damaged` tells which of its files can't be read, and why; the others are read."""

    folder: Path
    processes: tuple[StoredProcess, ...]
    damaged: dict[Path, str] = field(default_factory=dict)
    edits: Edits = field(default_factory=Edits)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def first(self) -> StoredProcess:
        """Rank 0, or the first that can be read."""
        return self.processes[0]

    @property
    def meta(self) -> dict[str, str]:
        return self.first.meta

    @cached_property
    def settings(self) -> dict[str, Setting]:
        """By name, with type and source; of several processes that set the same, the first counts."""
        found: dict[str, Setting] = {}
        for process in self.processes:
            found = {**read_settings(process.meta), **found}
        return dict(sorted(found.items()))

    @property
    def labels(self) -> Labels:
        """Its name, group, tags and notes, as people gave them or changed them."""
        return self.edits.over(read_labels(self.meta))

    @cached_property
    def status(self) -> Status:
        """Running if any process is; else the worst that became of one."""
        found = {process.status for process in self.processes}
        return next(status for status in _WORST_FIRST if status in found)

    @property
    def problems(self) -> list[str]:
        """Everything that could not be read so far."""
        return [*self.damaged.values(), *(problem for process in self.processes for problem in process.problems)]

    def scalars(self, name: str, rank: int = 0) -> Column:
        """One series of one rank, whole, as numpy columns `steps`, `times` and `values`."""
        return self._scalars(name, rank)

    def _scalars(self, name: str, rank: int, part: Part = WHOLE) -> Column:
        process = self._process(rank)
        found = process.columns(lambda series: series.kind == "scalar" and series.name == name, part)
        warn_of(process.problems, stacklevel=3)
        if not found:
            known = sorted(series.name for series in process.series() if series.kind == "scalar")
            raise KeyError(f"run {self.name} has no series {name!r}. It has: {', '.join(known) or 'none'}.")
        return next(iter(found.values()))

    def media(self, name: str | None = None, rank: int = 0) -> list[StoredMedium]:
        """Images, audio, texts and tables of one rank, all or those of a name, in the order of their steps."""
        found = [one for one in self._process(rank).media() if name is None or one.name == name]
        return sorted(found, key=lambda one: (one.step, one.number))

    def buckets(
        self, name: str, num: int = 2000, first: int | None = None, last: int | None = None, rank: int = 0
    ) -> Buckets:
        """One series cut into `num` ranges of steps: lowest and highest of each, what is not finite counted apart."""
        return bucket(self._scalars(name, rank, Part(first=first, last=last)), num, first, last)

    def process(self, rank: int = 0) -> StoredProcess:
        for process in self.processes:
            if process.rank == rank:
                return process
        if rank == 0 and not any(process.rank == 0 for process in self.processes):
            return self.first
        raise KeyError(f"run {self.name} has no rank {rank} that can be read.")

    def _process(self, rank: int) -> StoredProcess:
        """Not another one in place of a rank that can't be read."""
        why = self.damaged.get(self.folder / f"rank-{rank}.db")
        if why is not None:
            raise RunLogError(why)
        return self.process(rank)

    def sql(self, query: str, **limits: Any) -> Answer:
        """Ask this run: `run.sql("SELECT step, value FROM scalars WHERE name = 'loss'").df()`."""
        answer = self.ask(query, **limits)
        warn_of(answer.problems)
        return answer

    def ask(self, query: str, **limits: Any) -> Answer:
        """As `sql`, for those who tell its problems themselves."""
        from surefoot.runlog.read.sql.answer import ask

        return ask(lambda: [load_run(self.folder)], query, **limits)

    def _repr_html_(self) -> str:
        """In a notebook: its state, curves and findings, in a few kilobytes."""
        shown: str = importlib.import_module("surefoot.dashboard.report").card_html(self)  # a layer above this one
        return shown

    def page(self) -> Any:
        """In a notebook, the whole report as the dashboard draws it: several hundred kilobytes."""
        return importlib.import_module("surefoot.dashboard.report").Page(self)

    def __iter__(self) -> Iterator[StoredProcess]:
        return iter(self.processes)

    def __repr__(self) -> str:
        return f"<run {self.name}: {self.status}, {len(self.processes)} processes>"


def load_run(folder: Path) -> Run:
    """What can be read of a run; refused only if nothing can."""
    read, damaged = [], {}
    metas: dict[Path, dict[str, str]] = {}
    names = _names(folder)
    for file in _process_files(folder, names):
        problems: list[str] = []
        has_write_ahead = any(name.startswith(f"{file.stem}.tail-") for name in names)
        if has_write_ahead:  # what a process that was killed had logged, and not yet committed
            recover(file, problems.append, is_whole)
        num_commits = last_commit(file) if has_write_ahead else 0  # first: others may come before the file is read
        try:
            process = read_process(file)
            metas[file] = process.meta
            check_identity(process.meta, file)
        except RunLogError as error:
            damaged[file] = " ".join([str(error), *problems])
            continue
        lost = missing_tail(process.meta, file, has_write_ahead=has_write_ahead)
        for problem in [*problems, *lost, *missing_commits(process.meta, file, num_commits)]:
            process.say(problem)
        read.append(process)
    damaged = {**strangers(folder, metas), **damaged}
    read = [process for process in read if process.file not in damaged]
    if not read:
        raise RunLogError(" ".join(damaged.values()) or f"{folder} holds no run log.")
    edits = read_edits(folder, names)
    return Run(folder, tuple(read), {**damaged, **edits.damaged}, edits)


def read_run(folder: Path) -> list[StoredProcess]:
    """The processes of a run, rank 0 first. All of them: one that can't be read is an error."""
    run = load_run(folder)
    if run.damaged:
        raise RunLogError(" ".join(run.damaged.values()))
    return list(run.processes)


def process_files(folder: Path) -> list[Path]:
    """Ranks first, by number."""
    return _process_files(folder, _names(folder))


def is_log_file(name: str) -> bool:
    """Whether a run log of which only this is left would still be known for one."""
    return name.endswith((".db", ".id", ".tail-0", ".tail-1", ".segments", ".media"))


def _process_files(folder: Path, names: Sequence[str]) -> list[Path]:
    """Also databases that are gone, if something else tells of them."""
    found = {(folder / name).with_suffix(".db") for name in names if is_log_file(name)}
    return sorted(found, key=_order)


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError as error:
        raise RunLogError(f"the folder {folder} can't be read: {error.strerror or error}.") from error


def _order(file: Path) -> tuple[bool, int, str]:
    kind, _, number = file.stem.rpartition("-")
    return (kind != "rank", int(number) if number.isdecimal() else 0, file.name)
