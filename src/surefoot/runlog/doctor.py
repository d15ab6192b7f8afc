"""Check the files of a run against their checksums, and write what can be trusted into a new folder."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

from surefoot.facts.frozen import frozen
from surefoot.runlog.checksum import KEYS
from surefoot.runlog.edits import edit_file
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.media import StoredMedium
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import Run, load_run
from surefoot.runlog.read.segment import Segment, whole
from surefoot.runlog.read.verify import last_verdict
from surefoot.runlog.write.claim import DAMAGE
from surefoot.runlog.write.file_id import file_id_of
from surefoot.runlog.write.recover import bring_back
from surefoot.runlog.write.store import Store
from surefoot.runlog.write.write_ahead_format import write_ahead_files

State = Literal["whole", "incomplete", "damaged", "not verified"]


@frozen
class Part:
    """One file of a run; `told` says what is in it, or what is wrong with it."""

    file: Path
    state: State
    told: str


def examine(folder: Path) -> list[Part]:
    """Every file. As any reader, it first brings in what a killed process has left."""
    try:
        run = load_run(folder)
    except RunLogError as error:
        return [Part(folder, "damaged", str(error))]
    parts = [Part(file, "damaged", why) for file, why in run.damaged.items()]
    for process in run:
        parts += _examine_process(process)
    if run.edits.number:
        parts.append(Part(edit_file(folder, run.edits.number), "whole", "edits of names, tags and notes"))
    return parts


def _examine_process(process: StoredProcess) -> Iterator[Part]:
    file = process.file
    try:
        with snapshot(file) as connection:
            counts = _count(connection)
        segments = process.segments()
    except RunLogError as error:
        yield Part(file, "damaged", str(error))
        return
    verdict = last_verdict(file)
    if process.problems:
        is_intact = verdict.salvaged is None and list(verdict.problems) == process.problems  # lost earlier
        yield Part(file, "incomplete" if is_intact else "damaged", " ".join(process.problems))
    elif not verdict.is_verified:
        yield Part(file, "not verified", f"{counts}; written by a version that kept no checksums")
    else:
        yield Part(file, "whole", counts)
    for segment in segments:
        yield _examine_segment(segment)
    for medium in process.media():
        yield _examine_medium(medium)


def _count(connection: sqlite3.Connection) -> str:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    num_rows = sum(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in names & set(KEYS))
    return f"{num_rows:,} rows"


def _examine_segment(segment: Segment) -> Part:
    said: list[str] = []
    if not whole([segment], said.append, last_try=True):
        return Part(segment.file, "damaged", said[0])
    state: State = "not verified" if segment.crc is None else "whole"
    return Part(segment.file, state, f"{segment.num_rows:,} values")


def _examine_medium(medium: StoredMedium) -> Part:
    try:
        return Part(medium.path, "whole", f"{len(medium.read()):,} bytes, {medium.name} at step {medium.step}")
    except RunLogError as error:
        return Part(medium.path, "damaged", str(error))


def salvage_run(folder: Path, target: Path) -> list[str]:
    """Write what can be trusted to a new folder; what could not be. The run itself stays as it is."""
    run = load_run(folder)
    if run.status == "running":
        raise RunLogError(f"run {run.name} is going on. Salvage it when it has ended.")
    target.mkdir(parents=True)
    try:
        return _salvage(run, target)
    except BaseException as error:  # whole or not at all: it would be taken for the run
        shutil.rmtree(target, ignore_errors=True)
        if isinstance(error, sqlite3.Error):
            raise OSError(str(error)) from error
        raise


def _salvage(run: Run, target: Path) -> list[str]:
    lost = list(run.damaged.values())
    for process in run:
        lost += _salvage_process(run, process, target)
    if run.edits.number:
        shutil.copyfile(edit_file(run.folder, run.edits.number), edit_file(target, run.edits.number))
    return lost


def _salvage_process(run: Run, process: StoredProcess, target: Path) -> list[str]:
    file, copy = process.file, target / process.file.name
    with snapshot(file) as connection, closing(sqlite3.connect(copy)) as copied:
        try:
            connection.backup(copied)
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from error
    lost: list[str] = list(process.problems)
    good = whole(process.segments(), lost.append, last_try=True)
    media = [medium.path for medium in process.media() if _examine_medium(medium).state == "whole"]
    for one in [*(segment.file for segment in good), *media, file_id_of(file), *write_ahead_files(file)]:
        if one.exists():
            place = target / one.relative_to(run.folder)
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(one, place)
    with closing(Store(copy)) as store:
        _keep_segments(store, good)
        try:
            bring_back(store)
        except (ValueError, KeyError, TypeError) as error:
            lost.append(f"what was logged last, in {write_ahead_files(file)[0]} and -1, can't be brought in: {error}.")
        noted = [f"salvaged from {file}: {problem}" for problem in lost]
        if noted:
            store.set_meta(**{DAMAGE: json.dumps([*json.loads(store.meta().get(DAMAGE, "[]")), *noted])})
    return lost


def _keep_segments(store: Store, good: list[Segment]) -> None:
    """Only these; summaries that count others are of no use, and readers do without."""
    kept = {segment.file.name for segment in good}
    listed = {name for (name,) in store.connection.execute("SELECT file FROM segments")}
    with store.transaction():
        for name in listed - kept:
            store.connection.execute("DELETE FROM segments WHERE file = ?", (name,))
            store.connection.execute("DELETE FROM segment_sums WHERE file = ?", (name,))
        if listed - kept:
            store.connection.execute("DELETE FROM sealed")
