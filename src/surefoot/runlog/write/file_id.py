"""Beside each database lies its name as it was given at random: a file that was removed or swapped is noticed.

Once the database is closed, a second line tells its size and its checksum: readers of many runs need not look at each
row of a file that is bit for bit as it was left, and was whole then.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from surefoot.runlog.checksum import file_checksum

BIGGEST = 32 * 2**20  # of files that are verified when they are closed: an end should not take long


def file_id_of(file: Path) -> Path:
    return file.with_suffix(".id")


def write_file_id(file: Path, file_id: str, *more: str) -> None:
    """Whole or not at all. A log without it is as good, but its files can't be told from others."""
    target = file_id_of(file)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    with suppress(OSError):
        part.write_text("".join(f"{line} {zlib.crc32(line.encode()):08x}\n" for line in (file_id, *more)), "ascii")
        part.replace(target)


def read_file_id(file: Path) -> str | None:
    """None if there is none, or it is damaged."""
    return next(iter(_lines(file)), None)


def note_whole(file: Path, is_whole: Callable[[Path], bool]) -> None:
    """After it was closed; unless it was damaged before."""
    with suppress(OSError):
        size, file_id = file.stat().st_size, read_file_id(file)
        if file_id is None or not _is_closed(file) or size > BIGGEST:
            return
        crc = file_checksum(file)  # first: what is verified afterwards can't have been damaged before
        if is_whole(file):
            write_file_id(file, file_id, f"{size}-{crc:08x}")


def has_note(file: Path) -> bool:
    """Whether it says how the file was left."""
    return len(_lines(file)) > 1


def is_as_left(file: Path) -> bool | None:
    """Whether it is bit for bit as it was when it was closed and whole. None if nobody has noted that."""
    noted = _lines(file)[1:2]
    with suppress(OSError):
        if noted not in ([], [None]) and _is_closed(file):
            return noted == [f"{file.stat().st_size}-{file_checksum(file):08x}"]
    return None


def _lines(file: Path) -> list[str | None]:
    """Of the file beside it; None for each that is damaged."""
    try:
        lines = file_id_of(file).read_text("ascii").splitlines()
    except (OSError, ValueError):
        return []
    pairs = [line.rpartition(" ") for line in lines]
    return [text if crc == f"{zlib.crc32(text.encode()):08x}" else None for text, _, crc in pairs]


def _is_closed(file: Path) -> bool:
    return not any(file.with_name(f"{file.name}{end}").exists() for end in ("-wal", "-journal"))
