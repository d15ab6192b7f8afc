"""Beside each database lies its name as it was given at random: a file that was removed or swapped is noticed."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path


def file_id_of(file: Path) -> Path:
    return file.with_suffix(".id")


def write_file_id(file: Path, file_id: str) -> None:
    """Whole or not at all. A log without it is as good, but its files can't be told from others."""
    target = file_id_of(file)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    with suppress(OSError):
        part.write_text(f"{file_id} {zlib.crc32(file_id.encode()):08x}\n", encoding="ascii")
        part.replace(target)


def read_file_id(file: Path) -> str | None:
    """None if there is none, or it is damaged."""
    try:
        file_id, checksum = file_id_of(file).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    return file_id if checksum == f"{zlib.crc32(file_id.encode()):08x}" else None
