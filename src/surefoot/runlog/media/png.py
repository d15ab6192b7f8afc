"""PNG files of arrays, and the size of one. They are small enough that no library is needed for it."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLOURS = {1: 0, 3: 2, 4: 6}  # what the format calls grey, red-green-blue, and that with alpha
UP = 2  # the filter that stores differences to the row above
LEVEL = 6


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Of height × width × channels."""
    import numpy as np

    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels)
    above = np.vstack([np.zeros((1, width * channels), np.uint8), rows[:-1]])
    filtered = np.hstack([np.full((height, 1), UP, np.uint8), rows - above])
    header = struct.pack(">IIBBBBB", width, height, 8, COLOURS[channels], 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(name, data) for name, data in parts)


def png_size(content: bytes) -> tuple[int, int]:
    """Width and height."""
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
