"""Whether the files of a process are all there, and are its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.write.claim import KEY, is_writing
from surefoot.runlog.write.file_id import file_id_of, read_file_id
from surefoot.runlog.write.store import COMMIT
from surefoot.runlog.write.write_ahead_format import write_ahead_files


def check_identity(meta: Mapping[str, str], file: Path) -> None:
    """Refuses a file that stands in another one's place. Older versions gave no identity."""
    noted = read_file_id(file)
    if noted is not None and meta.get("id", noted) != noted:
        raise RunLogError(
            f"{file} is not the file that was written under this name: {file_id_of(file).name} names another one. "
            "Put the right one back."
        )
    named = re.fullmatch(r"rank-(\d+)", file.stem)
    rank = meta.get("rank", "")
    if named and rank.isdecimal() and int(named[1]) != int(rank):
        raise RunLogError(f"{file} was written by rank {rank}. Give it back its name, rank-{rank}.db.")


def missing_commits(meta: Mapping[str, str], file: Path, num_commits: int) -> list[str]:
    """Of a process that goes on: it has made so many. SQLite ignores what follows a damaged part of a -wal file."""
    told = meta.get(COMMIT, "0")
    missing = num_commits - int(told) if told.isdecimal() else 0
    if missing <= 0:
        return []
    return [f"{file} lacks its last {missing} commits: it or its -wal file was removed or damaged."]


def strangers(folder: Path, metas: Mapping[Path, Mapping[str, str]]) -> dict[Path, str]:
    """Files of another run, and what to say of each. Folders are renamed, but all files of a run then keep its name."""
    runs = {file: meta.get("run", "") for file, meta in metas.items()}
    own = folder.name if folder.name in runs.values() else next(filter(None, runs.values()), "")
    return {
        file: f"{file} was written for the run {run}, the files beside it for {own}. Put it back where it was."
        for file, run in runs.items()
        if run not in ("", own)
    }


def missing_tail(meta: Mapping[str, str], file: Path, *, has_write_ahead: bool) -> list[str]:
    """A process that was killed leaves its tail, until somebody brings it in."""
    if has_write_ahead or meta.get("tail") != "1" or "ended" in meta or not meta.get(KEY):
        return []
    try:
        if is_writing(json.loads(meta[KEY]), float(meta.get("beat", 0.0))):
            return []
    except (ValueError, KeyError, TypeError):
        return []
    return [f"{write_ahead_files(file)[0]} and -1 are missing: rows logged shortly before the kill may be lost."]
