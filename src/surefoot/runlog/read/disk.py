"""What a run takes on disk, and which of its files belong to nothing."""

from __future__ import annotations

import re
import time
from pathlib import Path

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.run import load_run

QUIET_SECONDS = 60.0  # a run that can't be read may still be written, by a newer surefoot
_LOG_FILE = re.compile(r".+\.(db(-wal|-shm|-journal)?|tail-\d+|id)|edit-\w+\.(json|new)")


@frozen
class Footprint:
    """The files of a run's log; `others` lie in its folder and are not ours to delete."""

    folder: Path
    status: str
    files: tuple[Path, ...]
    others: tuple[Path, ...]
    num_bytes: int
    last_write: float

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def in_use(self) -> bool:
        unknown = self.status == "unreadable" and time.time() - self.last_write < QUIET_SECONDS
        return self.status == "running" or unknown


def footprint(folder: Path) -> Footprint:
    last_write = _last_write(folder)  # looked at first: opening a run brings back what a killed process left
    try:
        status: str = load_run(folder).status
    except RunLogError:
        status = "unreadable"
    mine, others = _files(folder)
    return Footprint(folder, status, mine, others, sum(file.lstat().st_size for file in mine), last_write)


def _last_write(folder: Path) -> float:
    return max((file.lstat().st_mtime for file in _files(folder)[0]), default=0.0)


def _files(folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Those of the log, and others."""
    try:
        found = sorted(file for file in folder.rglob("*") if file.is_symlink() or file.is_file())
    except OSError as error:
        raise RunLogError(f"the folder {folder} can't be read: {error.strerror or error}.") from error
    mine = tuple(file for file in found if _is_ours(file, folder))
    return mine, tuple(file for file in found if file not in set(mine))


def delete(print_: Footprint) -> bool:
    """Delete the log, then the folder if nothing else is in it; whether it is gone."""
    # The databases go first: without them what is left is no run, and nothing is half there.
    for file in sorted(print_.files, key=lambda file: (file.suffix != ".db", str(file))):
        file.unlink(missing_ok=True)
    for folder in (*print_.folder.glob("*.segments"), *print_.folder.glob("*.media"), print_.folder):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return not print_.folder.exists()


def orphans(folder: Path) -> list[Path]:
    """Segments and media that no log names, left by a writer that was killed. Of runs that nobody writes only."""
    run = load_run(folder)
    if run.status == "running" or run.problems:  # a manifest that is damaged or gone may have lost their names
        return []
    found: list[Path] = []
    for process in run:
        known = {segment.file.name for segment in process.segments()}
        segments = process.file.with_suffix(".segments")
        found += [file for file in segments.glob("*") if file.is_file() and file.name not in known]
        named = {medium.path for medium in process.media()}
        found += [file for file in process.file.with_suffix(".media").glob("*") if file.is_file() and file not in named]
    return sorted(found)


def _is_ours(file: Path, folder: Path) -> bool:
    if file.is_symlink():
        return False
    if file.parent == folder:
        return _LOG_FILE.fullmatch(file.name) is not None
    return file.parent.parent == folder and file.parent.suffix in (".segments", ".media")
