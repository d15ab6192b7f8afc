"""What the two files of a tail hold, and how much of it can be trusted after a kill.

A file begins with a block about its writer; blocks of records follow. Each block has a checksum, which begins with the
name of the run log, so that no block of another one fits in. A file grows by whole steps of zeros, so that one that was
cut short is known for it.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from surefoot.runlog.checksum import MARK, OF_FILE, seed_of_id
from surefoot.runlog.schema import ORDERS
from surefoot.runlog.write.file_id import read_file_id
from surefoot.runlog.write.layout import Layout
from surefoot.runlog.write.write_queue import Row, Statement

BLOCK = struct.Struct("<II")  # checksum and length of the records that were written together
HEAD = struct.Struct("<Iqqqd")  # of a record: length of what follows, number, layout, step, time
INLINE = -1  # in place of a layout that no commit has stored yet: its series follow
ORDER = -2  # the record is a statement, not a row of numbers
COMMITTED = -3  # the record says that the commit of that number was made
FILE_STEP = 2**16  # bytes by which a file grows


@dataclass
class WriteAheadContent:
    """`commit` is the last one that is known to have been made. `writer` is None in tails of version 0.1."""

    rows: dict[int, Row] = field(default_factory=dict)
    orders: dict[int, Statement] = field(default_factory=dict)
    commit: int = 0
    writer: dict[str, Any] | None = None
    problems: list[str] = field(default_factory=list)


def write_ahead_files(file: Path) -> tuple[Path, Path]:
    return file.with_suffix(".tail-0"), file.with_suffix(".tail-1")


def block_of(data: bytes, seed: int = 0) -> bytes:
    return BLOCK.pack(zlib.crc32(data, seed), len(data)) + data


def header_of(writer: Mapping[str, Any]) -> tuple[bytes, int]:
    """The first block, and what the checksums of the others begin with."""
    return block_of(json.dumps({**writer, MARK: OF_FILE}).encode()), seed_of_id(writer["id"])


def row_record(row: Row) -> bytes:
    layout, step, time, packed, number = row
    stored = layout.stored_id
    if stored is None:
        series = json.dumps(layout.keys).encode()
        packed = struct.pack("<I", len(series)) + series + packed
    return HEAD.pack(len(packed), number, INLINE if stored is None else stored, step, time) + packed


def order_record(number: int, statement: Statement) -> bytes:
    text, values = statement
    plain = [{"bytes": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for v in values]
    packed = json.dumps([ORDERS.index(text), plain]).encode()
    return HEAD.pack(len(packed), number, ORDER, 0, 0.0) + packed


def commit_record(number: int) -> bytes:
    return HEAD.pack(0, number, COMMITTED, 0, 0.0)


def read_write_ahead(file: Path, *, is_old: bool = False) -> WriteAheadContent:
    """Of both files of a process. What is damaged is named, and the rest is read.

    `is_old`: as version 0.1 wrote them, where what is older follows what is new, so that damage can't be told from it.
    """
    noted = read_file_id(file)
    found = WriteAheadContent()
    present = [one for one in write_ahead_files(file) if one.exists()]
    layouts: dict[int | bytes, Layout] = {}
    for one in present:
        blocks = list(_blocks(one.read_bytes(), 0 if is_old or noted is None else seed_of_id(noted)))
        if not is_old:
            blocks = _checked(one, blocks, found, noted)
        for block in takewhile(bool, blocks) if is_old else filter(None, blocks):
            try:
                _read_block(block, found, layouts)
            except (struct.error, ValueError, TypeError, LookupError) as error:  # no writer of ours wrote that
                found.problems.append(f"{one} holds what is no row ({error}): it is left out.")
    if len(present) == 1 and found.writer is not None:
        (gone,) = set(write_ahead_files(file)) - set(present)
        found.problems.append(f"{gone} is missing: rows logged shortly before the kill may be lost.")
    return found


def _checked(file: Path, blocks: list[bytes], found: WriteAheadContent, noted: str | None) -> list[bytes]:
    """Without the first, which names the writer; none if that is another one."""
    is_named = bool(blocks) and blocks[0].startswith(b"{")
    if not is_named or not all(blocks) or file.stat().st_size % FILE_STEP:
        found.problems.append(f"{file} is damaged: rows logged shortly before the kill may be lost.")
    if is_named and not _is_of(json.loads(blocks[0]), found, noted):
        found.problems.append(f"{file} belongs to another process: what it holds is left out.")
        return []
    return blocks[1:]


def _is_of(writer: dict[str, Any], found: WriteAheadContent, noted: str | None) -> bool:
    """Whether both files have the same writer, of the log that is noted beside them."""
    if noted is not None and writer["id"] not in ("", noted):
        return False
    if found.writer is None:
        found.writer = writer
    return bool(found.writer["id"] == writer["id"])


def _blocks(data: bytes, seed: int) -> Iterator[bytes]:
    """One after the other; an empty one for each that is damaged. `seed` counts if the first tells no other."""
    first, at = _first_block(data), 0
    if first:
        seed, at = _seed_of(first), BLOCK.size + len(first)
        yield first
    while at + BLOCK.size <= len(data):
        checksum, length = BLOCK.unpack_from(data, at)
        at += BLOCK.size + length
        block = data[at - length : at]
        if not length:
            if data[at:].strip(b"\0") or checksum:
                yield b""
            return
        yield block if zlib.crc32(block, seed) == checksum else b""


def _first_block(data: bytes) -> bytes:
    """About the writer; empty if it is damaged, or none of version 0.2."""
    if len(data) < BLOCK.size:
        return b""
    checksum, length = BLOCK.unpack_from(data)
    block = data[BLOCK.size : BLOCK.size + length]
    return block if block.startswith(b"{") and zlib.crc32(block) == checksum else b""


def _seed_of(first: bytes) -> int:
    writer = json.loads(first)
    return seed_of_id(writer["id"]) if writer.get(MARK) == OF_FILE else 0


def _read_block(block: bytes, found: WriteAheadContent, layouts: dict[int | bytes, Layout]) -> None:
    at = 0
    while at < len(block):
        length, number, layout, step, time = HEAD.unpack_from(block, at)
        at += HEAD.size + length
        packed = block[at - length : at]
        if layout == COMMITTED:
            found.commit = max(found.commit, number)
        elif layout == ORDER:
            which, values = json.loads(packed)
            plain = tuple(base64.b64decode(v["bytes"]) if isinstance(v, dict) else v for v in values)
            found.orders[number] = ORDERS[which], plain
        else:
            found.rows[number] = _row(packed, number, layout, step, time, layouts)


def _row(packed: bytes, number: int, layout: int, step: int, time: float, layouts: dict[int | bytes, Layout]) -> Row:
    key: int | bytes = layout
    if layout == INLINE:
        (size,) = struct.unpack_from("<I", packed)
        key, packed = packed[4 : 4 + size], packed[4 + size :]
    if key not in layouts:
        layouts[key] = Layout(map(tuple, json.loads(key))) if isinstance(key, bytes) else Layout(())
        layouts[key].id = key if isinstance(key, int) else None
    return layouts[key], step, time, packed, number
