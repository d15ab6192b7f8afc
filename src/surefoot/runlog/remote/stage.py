"""A run as it is copied: sealed to the last row, in files that change no more."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from surefoot.runlog.read.connection import is_whole, snapshot
from surefoot.runlog.read.media import StoredMedium
from surefoot.runlog.read.run import Run
from surefoot.runlog.write.claim import DAMAGE
from surefoot.runlog.write.file_id import file_id_of, note_whole
from surefoot.runlog.write.segment import bring_in, folder_of, list_segments, seal_chunks
from surefoot.runlog.write.store import Store


def stage(run: Run, target: Path) -> list[Path]:
    """The files to copy, in the order in which they make sense: what others name comes before them."""
    target.mkdir(parents=True)
    early: list[Path] = []
    late: list[Path] = []
    for process in run:
        media: list[StoredMedium] = process.media()
        named = [*(segment.file for segment in process.segments()), *{medium.path for medium in media}]
        early += [_placed(file, run.folder, target) for file in named if file.exists()]
        copy = target / process.file.name
        with snapshot(process.file) as source, closing(sqlite3.connect(copy)) as copied:
            source.backup(copied)
        if file_id_of(process.file).exists():
            shutil.copyfile(file_id_of(process.file), file_id_of(copy))
        if is_whole(process.file):
            segment = _seal(copy)
            early += [] if segment is None else [segment]
            note_whole(copy, is_whole)
        elif process.problems:
            _note(copy, process.problems)
        late += [one for one in (file_id_of(copy), copy) if one.exists()]
    edits = [_placed(file, run.folder, target) for file in sorted(run.folder.glob("edit-*.json"))]
    return [*early, *edits, *late]


def _note(copy: Path, problems: list[str]) -> None:
    """What was lost before it was copied: readers of the copy tell it too."""
    with closing(Store(copy)) as store:
        store.set_meta(**{DAMAGE: json.dumps([*json.loads(store.meta().get(DAMAGE, "[]")), *problems])})


def _placed(file: Path, folder: Path, target: Path) -> Path:
    """By a link where that is possible: segments may be large."""
    place = target / file.relative_to(folder)
    place.parent.mkdir(exist_ok=True)
    if not place.exists():
        try:
            place.hardlink_to(file)
        except OSError:
            shutil.copyfile(file, place)
    return place


def _seal(copy: Path) -> Path | None:
    """What is still in the database goes to a segment of its own, and the database becomes small."""
    store = Store(copy)
    try:
        (last,) = store.connection.execute("SELECT max(id) FROM chunks").fetchone()
        if last is None:
            return None
        known = [int(Path(segment.file).stem) for segment in list_segments(store.connection)]
        name = f"{max(known, default=0) + 1:06d}.parquet"
        bring_in(store, seal_chunks(copy, name, last))
        store.give_back_pages()
        return folder_of(copy) / name
    finally:
        store.close()
