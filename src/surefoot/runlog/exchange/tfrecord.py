"""TFRecord files: each record is its length, the length's checksum, the data, the data's checksum."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from surefoot.runlog.exchange.crc32c import masked

_HEAD, _FOOT = struct.Struct("<QI"), struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_AT_ONCE = 4096  # records whose checksums are worked out together


def write_records(stream: IO[bytes], records: Sequence[bytes]) -> None:
    lengths = [_LENGTH.pack(len(record)) for record in records]
    for record, length, of_length, of_data in zip(records, lengths, masked(lengths), masked(records), strict=True):
        stream.write(length + _FOOT.pack(of_length) + record + _FOOT.pack(of_data))


def read_records(file: Path, say: Callable[[str], None]) -> Iterator[bytes]:
    """Record by record, up to where the file is whole; what ends it early is said."""
    num_read = 0
    with file.open("rb") as stream:
        size = file.stat().st_size
        while True:
            start = stream.tell()
            some, is_whole = _read_some(stream, size)
            good = _num_good(some)
            yield from (data for _, _, data, _ in some[:good])
            num_read += good
            if good < len(some):
                say(f"{file} is damaged after {num_read} records (near byte {start}): read up to there.")
                return
            if not is_whole:
                say(f"{file} ends in the middle of a record: the {num_read} records before it are read.")
                return
            if not some:
                return


Record = tuple[bytes, int, bytes, int]  # length, its checksum, data, its checksum


def _read_some(stream: IO[bytes], size: int) -> tuple[list[Record], bool]:
    """Some records, and whether the last of them is there to its end."""
    some: list[Record] = []
    while len(some) < _AT_ONCE:
        head = stream.read(_HEAD.size)
        if not head:
            return some, True
        if len(head) < _HEAD.size:
            return some, False
        length, of_length = _HEAD.unpack(head)
        if length > size - stream.tell():  # asked before reading: it may be any number
            if masked([head[:8]]) == [of_length]:
                return some, False
            return [*some, (head[:8], of_length, b"", 0)], True
        data, foot = stream.read(length), stream.read(_FOOT.size)
        if len(foot) < _FOOT.size:
            return some, False
        some.append((head[:8], of_length, data, _FOOT.unpack(foot)[0]))
    return some, True


def _num_good(some: Sequence[Record]) -> int:
    """How many of them, from the first on, have the right checksums."""
    of_lengths, of_data = masked([record[0] for record in some]), masked([record[2] for record in some])
    for place, (record, of_length, checksum) in enumerate(zip(some, of_lengths, of_data, strict=True)):
        if (record[1], record[3]) != (of_length, checksum):
            return place
    return len(some)
