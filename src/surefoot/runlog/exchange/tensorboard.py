"""TensorBoard event files: scalars in and out, histograms out."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from surefoot.runlog.exchange.protobuf import (
    Value,
    bytes_field,
    double_field,
    doubles_field,
    fields,
    float_field,
    int_field,
    signed,
)
from surefoot.runlog.exchange.source import Point
from surefoot.runlog.exchange.tfrecord import read_records, write_records

# The numbers of the fields in TensorBoard's messages.
_WALL_TIME, _STEP, _FILE_VERSION, _SUMMARY = 1, 2, 3, 5  # Event
_VALUE = 1  # Summary
_TAG, _SIMPLE_VALUE, _HISTOGRAM, _TENSOR, _METADATA = 1, 2, 5, 8, 9  # Summary.Value
_DTYPE, _CONTENT = 1, 4  # TensorProto
_VALS = {5: "<f", 6: "<d"}  # float_val, double_val
_INT_VALS = (7, 10)  # int_val, int64_val
_DTYPES = {1: "<f", 2: "<d", 3: "<i", 9: "<q"}
_AT_ONCE = 4096


def is_event_file(file: Path) -> bool:
    return "tfevents" in file.name


def read_points(file: Path, say: Callable[[str], None]) -> Iterator[Point]:
    """The scalars, both as old and as new writers store them; a file that is not whole is read as far as it is."""
    plugins: dict[str, str] = {}
    for record in read_records(file, say):
        try:
            event = dict(fields(record))
            summary = event.get(_SUMMARY)
            if not isinstance(summary, bytes):
                continue
            time = _double(event.get(_WALL_TIME))
            step = event.get(_STEP, 0)
            for number, value in fields(summary):
                if number == _VALUE and isinstance(value, bytes):
                    found = _scalar(value, plugins)
                    if found is not None:
                        yield Point(found[0], signed(step) if isinstance(step, int) else 0, time, found[1])
        except (ValueError, struct.error) as error:
            say(f"{file} holds a record that is no event ({error}): it is left out.")


def write_header(stream: IO[bytes], time: float) -> None:
    write_records(stream, [double_field(_WALL_TIME, time) + bytes_field(_FILE_VERSION, b"brain.Event:2")])


def write_scalars(stream: IO[bytes], steps: Iterable[tuple[int, float, Mapping[str, float]]]) -> None:
    """One event a step. TensorBoard keeps scalars as 32-bit numbers."""
    _write(stream, (
        _event(step, time, b"".join(
            bytes_field(_VALUE, bytes_field(_TAG, name.encode()) + float_field(_SIMPLE_VALUE, value))
            for name, value in values.items()
        ))
        for step, time, values in steps
    ))  # fmt: skip


def write_settings(stream: IO[bytes], settings: Mapping[str, Any], name: str, time: float) -> None:
    """As the plug-in HParams reads them: one message at the start of the session, and one at its end."""
    values = b"".join(bytes_field(1, bytes_field(1, key.encode()) + bytes_field(2, _setting(value)))
                      for key, value in settings.items())  # fmt: skip
    session = values + bytes_field(4, name.encode()) + double_field(5, time)
    write_records(stream, [
        _event(0, time, bytes_field(_VALUE, _of_plugin(f"_hparams_/{kind}", "hparams", content)))
        for kind, content in (
            ("session_start_info", bytes_field(3, session)),
            ("session_end_info", bytes_field(4, int_field(1, 1) + double_field(2, time))),  # 1: a success
        )
    ])  # fmt: skip


def _setting(value: Any) -> bytes:
    """A `google.protobuf.Value`."""
    if isinstance(value, bool):
        return int_field(4, int(value))
    if isinstance(value, int | float):
        return double_field(2, float(value))
    return bytes_field(3, ("" if value is None else str(value)).encode())


def _of_plugin(tag: str, plugin: str, content: bytes) -> bytes:
    data = bytes_field(1, plugin.encode()) + bytes_field(2, content)
    return bytes_field(_TAG, tag.encode()) + bytes_field(_METADATA, bytes_field(1, data))


def write_histograms(
    stream: IO[bytes], histograms: Iterable[tuple[int, float, str, Sequence[float], Sequence[int]]]
) -> None:
    """From (step, time, name, edges, counts). Sums are not stored, so they are those of the bins' middles."""
    _write(stream, (
        _event(step, time, bytes_field(_VALUE, bytes_field(_TAG, name.encode())
                                       + bytes_field(_HISTOGRAM, _histogram(edges, counts))))
        for step, time, name, edges, counts in histograms
    ))  # fmt: skip


def _write(stream: IO[bytes], events: Iterable[bytes]) -> None:
    some: list[bytes] = []
    for event in events:
        some.append(event)
        if len(some) == _AT_ONCE:
            write_records(stream, some)
            some = []
    write_records(stream, some)


def _event(step: int, time: float, summary: bytes) -> bytes:
    return double_field(_WALL_TIME, time) + int_field(_STEP, step) + bytes_field(_SUMMARY, summary)


def _histogram(edges: Sequence[float], counts: Sequence[int]) -> bytes:
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    total = sum(middle * count for middle, count in zip(middles, counts, strict=True))
    squares = sum(middle * middle * count for middle, count in zip(middles, counts, strict=True))
    numbers = (edges[0], edges[-1], float(sum(counts)), total, squares)
    head = b"".join(double_field(i, number) for i, number in enumerate(numbers, 1))
    return head + doubles_field(6, list(edges[1:])) + doubles_field(7, [float(count) for count in counts])


def _scalar(message: bytes, plugins: dict[str, str]) -> tuple[str, float] | None:
    value = dict(fields(message))
    tag = value.get(_TAG, b"")
    name = tag.decode(errors="replace") if isinstance(tag, bytes) else ""
    metadata = value.get(_METADATA)
    if isinstance(metadata, bytes):  # new writers say it with the first value of a tag only
        plugins[name] = _plugin(metadata)
    simple, tensor = value.get(_SIMPLE_VALUE), value.get(_TENSOR)
    if isinstance(simple, bytes):
        return name, float(struct.unpack("<f", simple)[0])
    if isinstance(tensor, bytes) and plugins.get(name, "scalars") == "scalars":
        number = _tensor(tensor)
        return None if number is None else (name, number)
    return None


def _plugin(metadata: bytes) -> str:
    data = dict(fields(metadata)).get(1)
    name = dict(fields(data)).get(1) if isinstance(data, bytes) else None
    return name.decode(errors="replace") if isinstance(name, bytes) else "scalars"


def _tensor(message: bytes) -> float | None:
    """The number of a tensor that holds exactly one."""
    tensor = dict(fields(message))
    form = _DTYPES.get(tensor.get(_DTYPE, 0))  # type: ignore[arg-type]  # a wrong type is in no dictionary
    content = tensor.get(_CONTENT)
    if form is not None and isinstance(content, bytes) and len(content) == struct.calcsize(form):
        return float(struct.unpack(form, content)[0])
    for number, packed in _VALS.items():
        data = tensor.get(number)
        if isinstance(data, bytes) and len(data) == struct.calcsize(packed):
            return float(struct.unpack(packed, data)[0])
    for number in _INT_VALS:
        whole = tensor.get(number)
        if isinstance(whole, int):
            return float(signed(whole))
        if isinstance(whole, bytes) and whole:
            return _only_int(whole)
    return None


def _only_int(packed: bytes) -> float | None:
    numbers = [value for _, value in fields(b"".join(b"\x08" + part for part in _varints(packed)))]
    return float(signed(numbers[0])) if len(numbers) == 1 and isinstance(numbers[0], int) else None


def _varints(packed: bytes) -> list[bytes]:
    parts, start = [], 0
    for at, byte in enumerate(packed):
        if byte < 0x80:
            parts.append(packed[start : at + 1])
            start = at + 1
    return parts


def _double(value: Value | None) -> float:
    return float(struct.unpack("<d", value)[0]) if isinstance(value, bytes) and len(value) == 8 else 0.0
