"""Write many steps of 20 series, close, and ask: does everything grow with the number of steps, and no faster?

python -m benchmarks.log.million 100000 FOLDER     # one size, in a process of its own; tells JSON
"""

import json
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import surefoot as sf
from surefoot.runlog.write.log import RunLog

NUM_SERIES = 20
FLUSH_EVERY = 5_000  # no training steps as fast as this loop, whose memory would otherwise fill
NUM_BUCKETS = 2_000
BUCKETS = f"""
    SELECT step * {NUM_BUCKETS} // {{num_steps}} AS bucket, min(value), max(value)
    FROM scalars WHERE name = 'layer7/grad_norm' GROUP BY bucket ORDER BY bucket
"""


def write(file: Path, num_steps: int) -> dict[str, float]:
    """CPU time of the training thread, and of the whole process, for each step."""
    rng = np.random.default_rng(0)
    names = [f"layer{i}/grad_norm" for i in range(NUM_SERIES)]
    log = RunLog(file, {"script": "million.py"}, lambda text: sys.exit(text))
    in_thread, started = 0.0, time.process_time()
    making = 0.0
    for first in range(0, num_steps, FLUSH_EVERY):
        before = time.process_time()
        num = min(FLUSH_EVERY, num_steps - first)
        rows = [dict(zip(names, row, strict=True)) for row in rng.normal(size=(num, NUM_SERIES)).tolist()]
        making += time.process_time() - before  # the writer's thread works meanwhile, which is left out too
        log.flush(60)
        before = time.thread_time()
        for i, row in enumerate(rows):
            log.scalars(first + i, row)
        in_thread += time.thread_time() - before
    log.close()
    whole = time.process_time() - started - making
    num_bytes = sum(one.stat().st_size for one in file.parent.rglob("*") if one.is_file())
    return {
        "thread_us": 1e6 * in_thread / num_steps,
        "process_us": 1e6 * whole / num_steps,
        "bytes_a_value": num_bytes / (num_steps * NUM_SERIES),
        "most_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def ask(folder: Path, num_steps: int) -> dict[str, float]:
    """Seconds of the two questions that a chart asks, the median of three."""
    runs = sf.open(folder)

    def seconds(query: str, num_rows: int) -> float:
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            rows: list[Any] = runs.sql(query).rows()
            taken.append(time.perf_counter() - started)
            if len(rows) != num_rows:
                sys.exit(f"{len(rows)} rows instead of {num_rows}: {query}")
        return statistics.median(taken)

    total = runs.sql("SELECT count(*) FROM scalars").rows()[0][0]
    if total != num_steps * NUM_SERIES:
        sys.exit(f"{total} values instead of {num_steps * NUM_SERIES}")
    return {
        "buckets_ms": 1e3 * seconds(BUCKETS.format(num_steps=num_steps), min(NUM_BUCKETS, num_steps)),
        "column_ms": 1e3 * _column_seconds(folder, num_steps),
    }


def _column_seconds(folder: Path, num_steps: int) -> float:
    """One series as an array, as the dashboard and exports take it."""
    (name,) = [one.name for one in folder.iterdir() if one.is_dir()]
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        column = sf.open(folder)[name].scalars("layer7/grad_norm")
        taken.append(time.perf_counter() - started)
        if len(column.steps) != num_steps:
            sys.exit(f"{len(column.steps)} steps instead of {num_steps}")
    return statistics.median(taken)


if __name__ == "__main__":
    number, place = int(sys.argv[1]), Path(sys.argv[2])
    print(json.dumps(write(place / "20260101-000000-million-000000" / "rank-0.db", number) | ask(place, number)))
