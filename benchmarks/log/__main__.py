"""The run log beside other trackers: what a step costs, what a value takes, what a SIGKILL loses.

python -m benchmarks.log                              # docs/benchmarks.md
python -m benchmarks.log --only surefoot,trackio      # some of it; nothing is written
"""

import argparse
import contextlib
import importlib.metadata
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.log.page import put, table
from benchmarks.log.trackers import PACKAGES, TRACKERS
from benchmarks.log.worker import WARM_STEPS

ROOT = Path(__file__).parents[2]
PLAN = {1: 10_000, 100: 5_000}  # series: steps, long enough for what happens now and then: commits, sealing
NUM_RUNS = 3
KILL_SECONDS = (3.1, 4.3, 5.7)  # after the first step
TEXT = """## Beside other trackers

Written by `make bench-log`. Each tracker logs the same numbers, 1 or 100 scalars a step, as its documentation says, in
a process of its own; the median of {runs} runs. *Thread*: CPU time in the thread that trains, for each step. *All*:
with the tracker's other threads, its helper processes and its closing. Bytes a value: everything in its folder after
{steps:,} steps of 100 scalars, or as many as are logged in 8 s. Lost: steps that were logged, 200 a second with 10
scalars each, and are not found by the tracker's own reader after a SIGKILL; three kills.

{table}
"""


def run_worker(*args: object, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, args)], env=environment, cwd=ROOT, capture_output=True, text=True,
        start_new_session=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{args}: {done.stderr[-3000:]}")
    return done.stdout.splitlines()[-1]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}


def measure_cost(tracker: str, num_series: int) -> dict[str, float]:
    runs = []
    for _ in range(NUM_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            told = run_worker(
                "benchmarks.log.worker", "cost", tracker, num_series, PLAN[num_series], folder,
                environment=environment(),
            )  # fmt: skip
            runs.append(json.loads(told))
    return {name: median(run[name] for run in runs) for name in runs[0]}


def measure_loss(tracker: str, seconds: float) -> tuple[int, int]:
    """How many steps were logged, and how many of them were found."""
    with tempfile.TemporaryDirectory() as place:
        folder, progress = Path(place, "log"), Path(place, "progress")
        folder.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.log.worker", "kill", tracker, str(progress), str(folder)],
            env=environment(), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        while process.poll() is None and not (progress.exists() and progress.stat().st_size):
            time.sleep(0.01)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its helpers too: the machine of a cluster does not spare them
        process.wait()
        (num_logged,) = struct.unpack("<q", progress.read_bytes())
        found = int(run_worker("benchmarks.log.survivors", tracker, folder, environment=environment()))
        shutil.rmtree(folder, ignore_errors=True)
    return num_logged, found


def measure(tracker: str) -> dict[str, Any]:
    row: dict[str, Any] = {"tracker": tracker}
    for num_series in PLAN:
        row[str(num_series)] = measure_cost(tracker, num_series)
    kills = [measure_loss(tracker, seconds) for seconds in KILL_SECONDS]
    row["num_logged"] = sum(logged for logged, _ in kills)
    row["num_lost"] = sum(max(0, logged - found) for logged, found in kills)
    print(row, flush=True)
    return row


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    head = ["tracker", "1 scalar: thread, µs", "all, µs", "100 scalars: thread, µs", "all, µs", "bytes a value", "lost"]
    cells = [
        [
            _name(row["tracker"]), _us(row["1"]["thread_us"]), _us(row["1"]["whole_us"]), _us(row["100"]["thread_us"]),
            _us(row["100"]["whole_us"]), f"{row['100']['bytes_a_value']:.1f}",
            f"{row['num_lost']} of {row['num_logged']:,}",
        ]
        for row in rows
    ]  # fmt: skip
    return table(head, cells)


def _us(number: float) -> str:
    return f"{number:,.1f}" if number < 100 else f"{number:,.0f}"


def _name(tracker: str) -> str:
    package = PACKAGES.get(tracker)
    return f"**{tracker}**" if package is None else f"{tracker} {importlib.metadata.version(package)}"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.log")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(TRACKERS))
    chosen = parser.parse_args(argv).only
    steps = WARM_STEPS + PLAN[100]
    text = TEXT.format(runs=NUM_RUNS, steps=steps, table=as_table([measure(tracker) for tracker in chosen]))
    print(text)
    if chosen == list(TRACKERS):
        put("peers", text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
