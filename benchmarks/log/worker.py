"""One tracker at work, in a process of its own.

python -m benchmarks.log.worker cost TRACKER NUM_SERIES NUM_STEPS FOLDER      # tells JSON
python -m benchmarks.log.worker kill TRACKER PROGRESS FOLDER                  # until it is killed
"""

import json
import math
import os
import statistics
import struct
import sys
import time
from pathlib import Path

from benchmarks.log.trackers import TRACKERS

FIRST_STEPS = 20
WARM_STEPS = 220  # with those that are logged when a tracker has settled
SETTLE_SECONDS = 2.0  # threads and helpers of a tracker have started by then
LONGEST_SECONDS = 8.0  # some take that for a few hundred steps
KILL_SERIES = 10
KILL_PACE = 0.005


NAMES = [f"layer{i}/grad_norm" for i in range(100)]


def values_of(step: int, num_series: int) -> dict[str, float]:
    """Numbers with full mantissas, as training has them."""
    return {NAMES[i]: math.sin(step * 0.01 + i) + math.sin(step * 78.233 + i) for i in range(num_series)}


def cost(tracker: str, num_series: int, num_steps: int, folder: Path) -> dict[str, float]:
    """CPU time of the thread that trains, and of everything: threads, helper processes, closing."""
    log, close = TRACKERS[tracker](folder)
    for step in range(WARM_STEPS):
        if step == FIRST_STEPS:
            time.sleep(SETTLE_SECONDS)
        log(step, values_of(step, num_series))
    helpers, whole, thread = _helpers_seconds(), time.process_time(), time.thread_time()
    ends = time.monotonic() + LONGEST_SECONDS
    done, in_thread = 0, 0.0
    while done < num_steps and time.monotonic() < ends:
        row = values_of(WARM_STEPS + done, num_series)
        before = time.thread_time()
        log(WARM_STEPS + done, row)
        in_thread += time.thread_time() - before
        done += 1
    making = time.thread_time() - thread - in_thread
    in_thread -= done * _clock_seconds()
    helped = _helpers_seconds()
    close()
    whole = time.process_time() - whole - making + helped - helpers
    num_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {
        "thread_us": 1e6 * in_thread / done,
        "whole_us": 1e6 * whole / done,
        "bytes_a_value": num_bytes / ((done + WARM_STEPS) * num_series),
        "num_steps": done,
    }


def _clock_seconds() -> float:
    """What looking at the clock twice costs, which is of the size of what is measured here."""
    looks = []
    for _ in range(1000):
        before = time.thread_time()
        looks.append(time.thread_time() - before)
    return statistics.median(looks)


def be_killed(tracker: str, progress: Path, folder: Path) -> None:
    log, _ = TRACKERS[tracker](folder)
    told = os.open(progress, os.O_CREAT | os.O_WRONLY)
    step = 0
    while True:
        log(step, values_of(step, KILL_SERIES))
        step += 1
        os.pwrite(told, struct.pack("<q", step), 0)
        time.sleep(KILL_PACE)


def _helpers_seconds() -> float:
    """CPU time of the other processes of this session, which the benchmark has started anew."""
    own, session, ticks = os.getpid(), os.getsid(0), 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(entry.name) != own and int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    what, name, *rest = sys.argv[1:]
    if what == "cost":
        print("\n" + json.dumps(cost(name, int(rest[0]), int(rest[1]), Path(rest[2]))))
    else:
        be_killed(name, Path(rest[0]), Path(rest[1]))
