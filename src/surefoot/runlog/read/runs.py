"""A folder of runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.runlog.read.error import RunLogError, Unreadable, warn_of
from surefoot.runlog.read.pick import pick
from surefoot.runlog.read.run import Run, is_log_file, load_run

if TYPE_CHECKING:
    from surefoot.runlog.read.sql.answer import Answer
    from surefoot.runlog.remote.runs import RemoteRuns


class Runs:
    """All runs of a folder, the oldest first. Nothing is kept: every question looks at the folder as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """Also of runs that can't be read."""
        try:
            with os.scandir(self.folder) as entries:
                return sorted(entry.name for entry in entries if _is_run(entry))
        except FileNotFoundError:
            raise RunLogError(
                f"there is no folder {self.folder}. Runs are logged to ./runs unless another folder is named."
            ) from None
        except OSError as error:
            raise RunLogError(f"the folder {self.folder} can't be read: {error.strerror or error}.") from error

    def load(self, *, newest_first: bool = False) -> Iterator[Run | Unreadable]:
        """Every run, or why it can't be read: one of them does not hide the others."""
        for name in reversed(self.names()) if newest_first else self.names():
            try:
                yield load_run(self.folder / name)
            except RunLogError as error:
                yield Unreadable(name, str(error))

    def find(self, name: str) -> Path:
        """The folder of a run by its name, its beginning, or as "latest"; an error that names the nearest."""
        return self.folder / pick(name, self.names(), str(self.folder))

    def sql(self, query: str, **limits: Any) -> Answer:
        """Ask all runs: `runs.sql("SELECT run, last_loss FROM runs ORDER BY last_loss").rows()`."""
        from surefoot.runlog.read.sql.answer import ask

        answer = ask(lambda: list(self.load()), query, **limits)
        warn_of(answer.problems)
        return answer

    def __getitem__(self, name: str) -> Run:
        return load_run(self.find(name))

    def __iter__(self) -> Iterator[Run]:
        """Those that can be read; it warns of the others."""
        for run in self.load():
            if isinstance(run, Run):
                yield run
            else:
                warn_of([f"run {run.name} can't be read: {run.why}"])

    def __len__(self) -> int:
        return len(self.names())

    def __repr__(self) -> str:
        return f"<{len(self)} runs in {self.folder}>"


def open_runs(folder: str | os.PathLike[str] = "runs") -> Runs | RemoteRuns:
    """The runs of a folder, or of an address they were synced to: `sf.open("runs")["latest"].scalars("loss")`."""
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f'sf.open takes the folder that runs are logged in, such as "runs", got {folder!r}.')
    from surefoot.runlog.remote.place import is_address

    if is_address(str(folder)):
        from surefoot.runlog.remote.runs import RemoteRuns

        return RemoteRuns(str(folder))
    runs = Runs(Path(folder))
    runs.names()  # says now what is wrong with the folder
    return runs


def _is_run(folder: os.DirEntry[str]) -> bool:
    """Checkpoints and the like may lie beside runs. A folder that may not be looked into may be a run."""
    if folder.name.startswith(".") or not folder.is_dir():  # what is being imported has no name yet
        return False
    try:
        with os.scandir(folder) as entries:
            return any(is_log_file(entry.name) for entry in entries)
    except OSError:
        return True
