"""Some steps of the same series in one row: packed numbers, little-endian, the values of a series side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surefoot.facts.frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STEP, TIME, VALUE, SERIES, COUNT = "<i8", "<f8", "<f8", "<i4", "<i8"
TICKS = 1024.0  # a second: the bits of a time beyond that would take more room than all else, and tell nothing


@frozen
class Columns:
    """What a chunk holds: `values[i, j]` is that of series i at step j."""

    steps: NDArray[np.int64]
    times: NDArray[np.float64]
    values: NDArray[np.float64]


def pack(rows: Sequence[tuple[int, float, Sequence[float] | bytes]]) -> tuple[int, bytes, bytes, bytes]:
    """From (step, time, values) to the number of steps, and steps, times and values as they are stored."""
    import numpy as np

    steps, times, values = zip(*rows, strict=True)
    packed: Any = b"".join(values) if isinstance(values[0], bytes) else None
    table = np.array(values, VALUE) if packed is None else np.frombuffer(packed, VALUE).reshape(len(rows), -1)
    return (
        len(rows),
        np.array(steps, STEP).tobytes(),
        (np.round(np.array(times, TIME) * TICKS) / TICKS).tobytes(),
        table.T.tobytes(),
    )


def unpack(num_steps: int, steps: bytes, times: bytes, values: bytes) -> Columns:
    """The other way round. ValueError if they are not of one chunk."""
    import numpy as np

    table: Any = np.frombuffer(values, VALUE)
    found = Columns(np.frombuffer(steps, STEP), np.frombuffer(times, TIME), table.reshape(-1, num_steps))
    if not len(found.steps) == len(found.times) == num_steps:
        raise ValueError(f"a chunk of {num_steps} steps has {len(found.steps)} steps and {len(found.times)} times")
    return found


def pack_series(numbers: Sequence[int]) -> bytes:
    """The series of a layout."""
    import numpy as np

    return np.array(numbers, SERIES).tobytes()


def unpack_series(packed: bytes) -> list[int]:
    import numpy as np

    found: list[int] = np.frombuffer(packed, SERIES).tolist()
    return found


def pack_numbers(numbers: Sequence[float], kind: str = VALUE) -> bytes:
    """The edges of a histogram, or with `COUNT` its counts."""
    import numpy as np

    return np.array(numbers, kind).tobytes()
