"""The long proofs of the run log's writer: kills at random moments, and a million steps.

python -m benchmarks.log.prove                                    # all of it; docs/benchmarks.md
python -m benchmarks.log.prove --kills 4 --sizes 10000            # some of it; nothing is written
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from benchmarks.log.kills import ROOT, Kill, kill_writers
from benchmarks.log.million import NUM_BUCKETS, NUM_SERIES
from benchmarks.log.page import put, table

NUM_KILLS = 100
SIZES = (10_000, 100_000, 1_000_000)
MOST_LOST_SECONDS = 0.5
MOST_BYTES = 10.0
MOST_MICROSECONDS = 15.0
TEXT = """## Kills and a million steps

Written by `make prove-log`.

SIGKILL at {moments} random moments within {latest} s while writers log two series, seal and merge all the time (after
every 4 kB instead of 8 MB); half of the moments meet one writer, half four at once. Everything that was committed must
be there, once, in chunks or in segments of the manifest; each file must pass SQLite's integrity check. What was not yet
committed is brought back from the tail, a file to which rows are appended as they come. (These writers log a step in
about 0.6 ms; steps that take less than 4 ms are appended some at a time, so that the last few may be lost.)

{kills}

Steps of {series} series of random numbers, written as fast as they come with a flush every 5,000 steps, sealed, then
asked through `sf.open`: one series as arrays, and 2,000 buckets with least and largest value by SQL. Writing in CPU
time; queries in wall time, the median of three.

{million}
"""


def prove_kills(num_kills: int) -> list[Kill]:
    kills: list[Kill] = []
    for seed in range(num_kills):
        found = kill_writers(1 if seed % 2 else 4, seed)
        kills += found
        worst = max(kill.lost_seconds for kill in found)
        print(f"kill {seed + 1} of {num_kills}: {len(found)} writers, at most {worst:.3f} s lost", flush=True)
        for kill in found:
            if kill.wrong:
                print(f"  WRONG: {kill.wrong}")
    return kills


def prove_size(num_steps: int) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.log.million", str(num_steps), folder],
            env=environment, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    row: dict[str, Any] = {"num_steps": num_steps, **json.loads(told)}
    print(row, flush=True)
    return row


def kill_table(kills: Sequence[Kill]) -> str:
    rows = []
    for num_writers in (1, 4):
        some = [kill for kill in kills if kill.num_writers == num_writers]
        rows.append([
            str(num_writers), str(len(some)), f"{sum(kill.num_steps for kill in some):,}",
            f"{sum(kill.num_segments for kill in some):,}", str(sum(kill.was_sealing for kill in some)),
            str(sum(bool(kill.wrong) for kill in some)), f"{sum(kill.num_recovered for kill in some):,}",
            str(sum(kill.num_lost for kill in some)), f"{max(kill.lost_seconds for kill in some):.3f}",
        ])  # fmt: skip
    head = ["writers at once", "files", "steps handed over", "segments", "killed in mid-sealing", "wrong or doubled"]
    return table([*head, "steps from the tail", "steps lost", "most seconds lost"], rows)


def size_table(rows: Sequence[dict[str, Any]]) -> str:
    head = [
        "steps", "training thread, µs a step", "whole process, µs a step", "bytes a value", "most memory, MB",
        "one series, ms", f"{NUM_BUCKETS:,} buckets, ms",
    ]  # fmt: skip
    cells = [
        [
            f"{row['num_steps']:,}", f"{row['thread_us']:.1f}", f"{row['process_us']:.1f}",
            f"{row['bytes_a_value']:.2f}", f"{row['most_memory_mb']:.0f}", f"{row['column_ms']:.0f}",
            f"{row['buckets_ms']:.0f}",
        ]
        for row in rows
    ]  # fmt: skip
    return table(head, cells)


def failures(kills: Sequence[Kill], rows: Sequence[dict[str, Any]]) -> list[str]:
    found = [f"{kill.num_writers} writers: {kill.wrong}" for kill in kills if kill.wrong]
    found += [f"{k.lost_seconds:.2f} s lost" for k in kills if k.lost_seconds > MOST_LOST_SECONDS]
    found += [f"{row['bytes_a_value']:.1f} bytes a value" for row in rows if row["bytes_a_value"] > MOST_BYTES]
    found += [f"{row['thread_us']:.1f} µs a step" for row in rows if row["thread_us"] > MOST_MICROSECONDS]
    return found


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.log.prove")
    parser.add_argument("--kills", type=int, default=NUM_KILLS)
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=list(SIZES))
    options = parser.parse_args(argv)
    kills = prove_kills(options.kills)
    rows = [prove_size(size) for size in options.sizes]
    parts = {"kills": kill_table(kills), "million": size_table(rows)}
    text = TEXT.format(moments=options.kills, latest=3, series=NUM_SERIES, **parts)
    print(text)
    wrong = failures(kills, rows)
    for failure in wrong:
        print(f"FAILED: {failure}", file=sys.stderr)
    if not wrong and options.kills == NUM_KILLS and tuple(options.sizes) == SIZES:
        put("proof", text)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
