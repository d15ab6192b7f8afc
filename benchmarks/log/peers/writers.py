"""Write the same few series with each peer, in a process of its own.

python -m benchmarks.log.peers.writers PEER FOLDER NUM_STEPS            # closes at the end
python -m benchmarks.log.peers.writers PEER FOLDER PROGRESS             # until it is killed
"""

import math
import os
import sqlite3
import struct
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.log import trackers

NAMES = ("loss", "lr", "acc", "norm")
PACE_SECONDS = 0.005


def values_of(step: int) -> dict[str, float]:
    """Eighths, which 32 bits hold too."""
    return {name: (step * 7 + i * 13) % 1000 / 8 for i, name in enumerate(NAMES)}


def sqlite(folder: Path) -> trackers.Opened:
    """As SQLite's documentation advises for a writer beside readers: WAL, a transaction for each step."""
    connection = sqlite3.connect(folder / "log.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE IF NOT EXISTS metrics (step INTEGER, name TEXT, value REAL)")

    def log(step: int, values: Mapping[str, float]) -> None:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO metrics VALUES (?, ?, ?)", [(step, *item) for item in values.items()])
        connection.execute("COMMIT")

    return log, connection.close


WRITERS: dict[str, Callable[[Path], trackers.Opened]] = {
    "surefoot": trackers.surefoot, "SQLite": sqlite, "TensorBoard": trackers.tensorboard,
    "wandb offline": trackers.wandb, "MLflow": trackers.mlflow, "Aim": trackers.aim,
}  # fmt: skip


def write(peer: str, folder: Path, num_steps: float, progress: Path | None) -> None:
    log, close = WRITERS[peer](folder)
    told = os.open(progress, os.O_CREAT | os.O_WRONLY) if progress is not None else -1
    step = 0
    while step < num_steps:
        log(step, values_of(step))
        if progress is not None:
            os.pwrite(told, struct.pack("<d", time.time()), 8 * step)
            time.sleep(PACE_SECONDS)
        step += 1
    close()


if __name__ == "__main__":
    peer, folder, given = sys.argv[1:]
    is_count = given.isdecimal()
    write(peer, Path(folder), int(given) if is_count else math.inf, None if is_count else Path(given))
