"""Runs made elsewhere become runs like any other."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from surefoot.facts.frozen import frozen
from surefoot.runlog.exchange.table import TableError, read_table
from surefoot.runlog.exchange.tensorboard import Point, is_event_file, read_points
from surefoot.runlog.folder import run_folder
from surefoot.runlog.write import RunLog

FLUSH_ROWS = 20_000  # far below what makes a writer drop rows
FLUSH_SECONDS = 300.0
Say = Callable[[str], None]


class ImportingError(Exception):
    """Nothing was imported, and why."""


@frozen
class Source:
    """The files of one run."""

    name: str
    files: tuple[Path, ...]


def find_sources(path: Path) -> list[Source]:
    """A file is a run; in a folder, so are the event files of each folder below, and each CSV file."""
    if path.is_file():
        return [Source(path.parent.name if is_event_file(path) else path.stem, (path,))]
    if not path.is_dir():
        raise ImportingError(f"there is no file or folder {path}.")
    found = []
    for where, _, names in sorted(os.walk(path)):  # which passes over folders that may not be looked into
        folder = Path(where)
        files = [folder / name for name in sorted(names)]
        events = tuple(file for file in files if is_event_file(file))
        if events:
            name = path.name if folder == path else "-".join((path.name, *folder.relative_to(path).parts))
            found.append(Source(name, events))
        found += [Source(file.stem, (file,)) for file in files if file.suffix.lower() == ".csv"]
    if not found:
        raise ImportingError(f"{path} holds neither TensorBoard event files nor CSV files.")
    return found


def import_run(source: Source, log: Path, say: Say, step: str | None = None) -> Path:
    """Write it to a folder of its own, which is named once it is complete."""
    folder = run_folder(log, f"{source.name}.imported")
    part = folder.with_name(f".{folder.name}.part")
    try:
        num_points = _copy(source, part / "rank-0.db", folder.name, say, step)
        if not num_points:
            raise ImportingError(f"{source.files[0]} holds no scalar: nothing was imported.")
        part.rename(folder)
    except (TableError, OSError) as error:
        raise ImportingError(str(error)) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _copy(source: Source, file: Path, run: str, say: Say, step: str | None) -> int:
    broken: list[str] = []
    log = RunLog(file, _meta(source, run), broken.append)
    num_points, first, last = 0, float("inf"), 0.0
    try:
        for point in _points(source.files, say, step):
            log.scalars(point.step, {point.name: point.value}, point.time)
            num_points += 1
            if point.time > 0:
                first, last = min(first, point.time), max(last, point.time)
            if num_points % FLUSH_ROWS == 0 and not log.flush(FLUSH_SECONDS):
                break
        if num_points:
            log.meta("started", _iso(first if last else time.time()))
            log.meta("ended", _iso(last or time.time()))
            log.meta("reason", "finished")
        if not log.flush(FLUSH_SECONDS) or broken:
            raise ImportingError(f"the run can't be written: {' '.join(broken) or 'the disk does not keep up'}")
    finally:
        log.close()
    return num_points


def _points(files: Sequence[Path], say: Say, step: str | None) -> Iterator[Point]:
    return chain.from_iterable(read_points(f, say) if is_event_file(f) else read_table(f, say, step) for f in files)


def _meta(source: Source, run: str) -> dict[str, str]:
    files = [str(file.absolute()) for file in source.files]
    return {"run": run, "rank": "0", "num_ranks": "1", "script": source.name, "imported_from": json.dumps(files)}


def _iso(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="seconds")
