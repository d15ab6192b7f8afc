"""What the process that runs a query sends to the one that asked: frames, each a kind and a value.

Values are pickled, which keeps numbers and dates as they are. The reader makes nothing of a frame but plain values,
dates and decimals: whoever got hold of the process that ran the query could not have code run in this one.
"""

from __future__ import annotations

import io
import pickle
import struct
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import IO, Any

HEAD, ROWS, END, WRONG = b"h", b"r", b"e", b"w"  # columns and types; some rows; no more rows; what went wrong
_FRAME = struct.Struct("<cQ")
_PLAIN = (date, datetime, time, timedelta, timezone, Decimal)
_KNOWN = {(kind.__module__, kind.__name__): kind for kind in _PLAIN} | {("builtins", "str"): str}


class FrameError(Exception):
    """The stream has ended inside a frame, or holds none."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Asked about everything that is no plain value. What others could not read is sent as text."""
        has_zone = isinstance(value, datetime | time) and not isinstance(value.tzinfo, timezone | None)
        if value in _PLAIN or value is str or (type(value) in _PLAIN and not has_zone):
            return NotImplemented
        return str, (value.isoformat() if has_zone else str(value),)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _KNOWN[module, name]
        except KeyError:
            raise FrameError(f"a frame holds a {module}.{name}.") from None


def pack(kind: bytes, value: Any) -> bytes:
    content = io.BytesIO()
    content.write(_FRAME.pack(kind, 0))
    _Pickler(content, protocol=5).dump(value)
    content.seek(0)
    content.write(_FRAME.pack(kind, content.getbuffer().nbytes - _FRAME.size))
    return content.getvalue()


def read(stream: IO[bytes], most_bytes: int) -> tuple[bytes, Any]:
    kind, size = _FRAME.unpack(_exactly(stream, _FRAME.size))
    if size > most_bytes:
        raise FrameError(f"a frame of {size} bytes is larger than was allowed.")
    try:
        return kind, _Unpickler(io.BytesIO(_exactly(stream, size))).load()
    except FrameError:
        raise
    except Exception as error:  # bytes that are no pickle may raise anything
        raise FrameError(f"a frame can't be read: {type(error).__name__}.") from None


def _exactly(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) != size:
        raise FrameError("the stream has ended.")
    return content
