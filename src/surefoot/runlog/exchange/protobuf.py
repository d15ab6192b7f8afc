"""The little of protocol buffers that event files need."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

Value = int | bytes


def varint(value: int) -> bytes:
    """Negative numbers are written as 64 bits, as int64 fields have them."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def bytes_field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | _BYTES) + varint(len(data)) + data


def int_field(number: int, value: int) -> bytes:
    return varint(number << 3 | _VARINT) + varint(value)


def double_field(number: int, value: float) -> bytes:
    return varint(number << 3 | _FIXED64) + struct.pack("<d", value)


def float_field(number: int, value: float) -> bytes:
    return varint(number << 3 | _FIXED32) + float_bytes(value)


def float_bytes(value: float) -> bytes:
    """As 32 bits; what is too large for them is infinite."""
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def doubles_field(number: int, values: list[float]) -> bytes:
    return bytes_field(number, struct.pack(f"<{len(values)}d", *values))


def fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """The fields of a message: varints as numbers, everything else as bytes. ValueError if it is none."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        wire = key & 7
        if wire == _VARINT:
            value, at = _read_varint(data, at)
            yield key >> 3, value
            continue
        length = {_FIXED64: 8, _FIXED32: 4}.get(wire)
        if length is None:
            if wire != _BYTES:
                raise ValueError(f"a field of wire type {wire} is not expected")
            length, at = _read_varint(data, at)
        if at + length > len(data):
            raise ValueError("a field reaches beyond its message")
        yield key >> 3, data[at : at + length]
        at += length


def signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number reaches beyond its message")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
