"""Traces that were kept beside the runs of a folder."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surefoot.dashboard.data.encode import Verbatim
from surefoot.runlog.checksum import contradicts_its_checksum
from surefoot.runlog.folder import TRACES
from surefoot.runlog.read.error import RunLogError

FORMAT = 1
ENDING = ".json"
MOST_BYTES = 64_000_000  # of a trace that is shown
LISTED_BYTES = 4_000_000  # of one whose content is looked at for the list
MOST_LISTED = 500
HEAD = ("script", "command", "started", "first", "num_steps", "num_taken", "ended", "optimizers")
_ANEW = "Make it again with surefoot trace."

Head = dict[str, Any]


class NoSuchTraceError(KeyError):
    """Said to the page as it is."""


class Traces:
    """The newest first. What was looked at for the list is kept as long as its file is the same."""

    def __init__(self) -> None:
        self._heads: dict[tuple[str, int, int], Head] = {}
        self._lock = threading.Lock()

    def rows(self, folder: Path) -> list[Head]:
        found = sorted(_files(folder), key=lambda entry: entry.name, reverse=True)[:MOST_LISTED]
        with self._lock:
            heads = {}
            for entry in found:
                stat = entry.stat(follow_symlinks=False)
                key = (entry.path, stat.st_mtime_ns, stat.st_size)
                heads[key] = self._heads.get(key) or _head(entry, stat)
            self._heads = heads
            return list(heads.values())


def read_trace(folder: Path, name: str) -> Head:
    """Only what the folder lists: no name leads anywhere else."""
    entry = next((one for one in _files(folder) if _name(one) == name), None)
    if entry is None:
        raise NoSuchTraceError(f"there is no trace {name!r} in {folder / TRACES}.")
    size = entry.stat(follow_symlinks=False).st_size
    if size > MOST_BYTES:
        raise RunLogError(
            f"the trace {name} has {size / 1e6:.0f} MB, more than a page can show. Trace fewer steps: --steps 1."
        )
    text = _text(entry)
    _checked(name, text)
    return {"name": name, "trace": Verbatim(text)}


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Files of that folder itself; a link may lead out of it."""
    try:
        with os.scandir(folder / TRACES) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING) and entry.name[0] != "." and entry.is_file(follow_symlinks=False):
                    yield entry
    except OSError:
        return


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name.removesuffix(ENDING).encode("utf-8", "backslashreplace").decode()


def _text(entry: os.DirEntry[str]) -> str:
    try:
        data = Path(entry.path).read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RunLogError(f"the trace {_name(entry)} can't be read: {error}.") from None
    if contradicts_its_checksum(data):
        raise RunLogError(f"the trace {_name(entry)} is damaged: it is not as it was written. {_ANEW}")
    return text


def _checked(name: str, text: str) -> Head:
    """What it holds, if it is what we would have written."""
    try:
        told = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise RunLogError(f"the trace {name} is damaged: {error}. {_ANEW}") from None
    if not isinstance(told, dict) or not isinstance(told.get("stages"), list):
        raise RunLogError(f"the file {name}{ENDING} holds no trace.")
    if told.get("format") != FORMAT:
        raise RunLogError(
            f"the trace {name} has format {told.get('format')!r}, this surefoot reads {FORMAT}. Update surefoot."
        )
    return told


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _head(entry: os.DirEntry[str], stat: os.stat_result) -> Head:
    row: Head = {"name": _name(entry), "num_bytes": stat.st_size, "modified": stat.st_mtime, "problem": None}
    if stat.st_size > LISTED_BYTES:
        return row
    try:
        told = _checked(row["name"], _text(entry))
    except RunLogError as error:
        return {**row, "problem": str(error)}
    return {**row, **{key: told.get(key) for key in HEAD}}
