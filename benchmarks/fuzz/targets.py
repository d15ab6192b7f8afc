"""One function for each format: bytes become a file, which is read by all that read such files.

A target returns when the file was read, refused, or named as damaged. What else it raises is a finding.
"""

import io
import json
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from benchmarks.fuzz.runs import change_cell, copied, read_all
from surefoot.dashboard.data.traces import NoSuchTraceError, read_trace
from surefoot.runlog.box import wire
from surefoot.runlog.checksum import KEYS
from surefoot.runlog.edits import checksum_of_edits
from surefoot.runlog.exchange.csv_table import read_table
from surefoot.runlog.exchange.source import SourceError
from surefoot.runlog.exchange.tensorboard import read_points
from surefoot.runlog.exchange.tfrecord import write_records
from surefoot.runlog.folder import TRACES
from surefoot.runlog.read import RunLogError
from surefoot.runlog.write.write_ahead_format import BLOCK, FILE_STEP, block_of, header_of, write_ahead_files

Target = Callable[[bytes, Path], None]


def tail(data: bytes, folder: Path) -> None:
    """The bytes are the whole file."""
    run = copied(folder / "killed", folder / "log")
    write_ahead_files(run / "rank-0.db")[0].write_bytes(data)
    read_all(folder / "log", sql=_is_chosen(data))


def tail_records(data: bytes, folder: Path) -> None:
    """The bytes are blocks of records, which get right checksums after the right head."""
    run = copied(folder / "killed", folder / "log")
    file = write_ahead_files(run / "rank-0.db")[0]
    (length,) = struct.unpack_from("<4xI", file.read_bytes())
    first = file.read_bytes()[: BLOCK.size + length]
    _, seed = header_of(json.loads(first[BLOCK.size :]))
    blocks = [first, *(block_of(part, seed) for part in data.split(b"|") if part)]
    whole = b"".join(blocks)
    file.write_bytes(whole + bytes(-len(whole) % FILE_STEP))
    read_all(folder / "log", sql=_is_chosen(data))


def database(data: bytes, folder: Path) -> None:
    """The bytes are patches of the file: where, and what is there instead."""
    run = copied(folder / "ended", folder / "log")
    content = bytearray((run / "rank-0.db").read_bytes())
    for at in range(0, len(data) - 3, 4):
        place, patch = struct.unpack_from("<HH", data, at)
        struct.pack_into("<H", content, place * 2 % (len(content) - 1), patch)
    (run / "rank-0.db").write_bytes(content)
    read_all(folder / "log", sql=_is_chosen(data))


def cell(data: bytes, folder: Path) -> None:
    """The bytes choose a column, a type and a value, which gets its right checksum."""
    if len(data) < 3:
        return
    run = copied(folder / "ended", folder / "log")
    named = list(KEYS)[data[0] % len(KEYS)]
    change_cell(run / "rank-0.db", named, data[1], _value(data[2] % 5, data[3:]))
    read_all(folder / "log", sql=_is_chosen(data))


def file_id(data: bytes, folder: Path) -> None:
    run = copied(folder / "ended", folder / "log")
    for file in run.glob("*.id"):
        file.write_bytes(data)
    read_all(folder / "log")


def edit(data: bytes, folder: Path) -> None:
    """The bytes are the whole file."""
    run = copied(folder / "ended", folder / "log")
    (run / "edit-3.json").write_bytes(data)
    read_all(folder / "log", sql=_is_chosen(data))


def edit_told(data: bytes, folder: Path) -> None:
    """The bytes are what is told, which gets its right checksum."""
    with suppress(ValueError, RecursionError):
        told = json.loads(data)
        if isinstance(told, dict):
            edit(json.dumps({**told, "crc": checksum_of_edits(told)}).encode(), folder)


def event_file(data: bytes, folder: Path) -> None:
    file = folder / "events.out.tfevents.1"
    file.write_bytes(data)
    list(read_points(file, lambda problem: None))


def event_records(data: bytes, folder: Path) -> None:
    """The bytes are records, which get right lengths and checksums."""
    with (folder / "events.out.tfevents.1").open("wb") as stream:
        write_records(stream, data.split(b"|"))
    list(read_points(folder / "events.out.tfevents.1", lambda problem: None))


def table(data: bytes, folder: Path) -> None:
    file = folder / "table.csv"
    file.write_bytes(data)
    with suppress(SourceError):
        list(read_table(file, lambda problem: None))


def frame(data: bytes, folder: Path) -> None:
    with suppress(wire.FrameError):
        kind, value = wire.read(io.BytesIO(data), 100_000)
        assert len(kind) == 1
        wire.pack(kind, value)


def frame_value(data: bytes, folder: Path) -> None:
    """The bytes are what follows a right head."""
    frame(struct.pack("<cQ", b"r", len(data)) + data, folder)


def trace(data: bytes, folder: Path) -> None:
    (folder / TRACES).mkdir(exist_ok=True)
    (folder / TRACES / "a.json").write_bytes(data)
    with suppress(RunLogError, NoSuchTraceError):
        json.dumps(str(read_trace(folder, "a")))


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (tail, tail_records, database, cell, file_id, edit, edit_told, event_file, event_records, table,
                   frame, frame_value, trace)
}  # fmt: skip


def _is_chosen(data: bytes) -> bool:
    """SQL takes longer than all else."""
    return sum(data) % 16 == 0


def _value(kind: int, data: bytes) -> object:
    eight = data[:8].ljust(8, b"\0")
    values = (data, data.decode(errors="replace"), *struct.unpack("<q", eight), *struct.unpack("<d", eight), None)
    return values[kind]


def seeds(name: str, folder: Path) -> list[bytes]:
    """Inputs to begin with."""
    tails = [file.read_bytes().rstrip(b"\0") for file in sorted((folder / "killed").rglob("*.tail-*"))]
    stream = io.BytesIO()
    write_records(stream, [b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x05\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\0\x3f"])
    known = {
        "tail": tails, "tail_records": [part[BLOCK.size :] for data in tails for part in data.split(b"\0\0\0\0{")],
        "database": [bytes(4)], "cell": [bytes([i, j, k, 1]) for i in range(13) for j in range(4) for k in range(5)],
        "edit": [b'{"number": 3, "of": [], "state": {"name": "a"}, "earlier": [], "crc": "00000000"}'],
        "edit_told": [b'{"number": 3, "of": [], "state": {"archived": true}, "earlier": [{"tags": ["b"]}]}',
                      b'{"number": 3, "of": ["c"], "state": {"group": "a", "notes": "b"}, "earlier": []}'],
        "event_file": [stream.getvalue()], "event_records": [stream.getvalue()[12:-4]],
        "table": [b"step,name,value\n1,loss,0.5\n", b"step,time,loss\n1,2,3\n"],
        "frame": [wire.pack(wire.ROWS, [(1, "a", 2.5, None)])],
        "frame_value": [wire.pack(wire.HEAD, (["a"], ["INTEGER"], []))[9:]],
        "trace": [b'{"format": 1, "stages": []}'],
    }  # fmt: skip
    return known.get(name, [b"a"])
