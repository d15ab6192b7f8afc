"""What processes of a run leave in its folder for the one that reports, besides what they found."""

from __future__ import annotations

import os
import time


def record(folder: str, kind: str, fields: dict[str, object]) -> None:
    """Never fails: the folder is gone when the run is over."""
    name = f"{kind}-{os.getpid()}-{time.monotonic_ns()}.record"
    file = os.path.join(folder, name)  # noqa: PTH118
    try:
        with open(file + ".part", "w", encoding="utf-8", errors="backslashreplace") as stream:  # noqa: PTH123
            stream.write(repr(fields))
        os.replace(file + ".part", file)  # noqa: PTH105
    except OSError:
        pass
