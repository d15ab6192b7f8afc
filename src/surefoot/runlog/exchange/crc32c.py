"""CRC-32C (Castagnoli) of many byte strings at once, and the mask that TFRecord files put on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_POLYNOMIAL = 0x82F63B78  # reflected
_MASK_DELTA = 0xA282EAD8


def masked(texts: Sequence[bytes]) -> list[int]:
    """The masked checksum of each. Byte strings of one length are worked on side by side."""
    by_length: dict[int, list[int]] = {}
    for place, text in enumerate(texts):
        by_length.setdefault(len(text), []).append(place)
    found = [0] * len(texts)
    for length, places in by_length.items():
        sums = _checksums([texts[place] for place in places], length)
        for place, checksum in zip(places, sums.tolist(), strict=True):
            found[place] = ((checksum >> 15 | checksum << 17) + _MASK_DELTA) & 0xFFFFFFFF
    return found


def _checksums(texts: Sequence[bytes], length: int) -> NDArray[np.uint32]:
    import numpy as np

    columns: Any = np.frombuffer(b"".join(texts), np.uint8).reshape(len(texts), length)
    table = _table()
    state = np.full(len(texts), 0xFFFFFFFF, np.uint32)
    for i in range(length):
        state = table[(state ^ columns[:, i]) & 0xFF] ^ (state >> np.uint32(8))
    return state ^ np.uint32(0xFFFFFFFF)


@cache
def _table() -> NDArray[np.uint32]:
    import numpy as np

    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    return table
