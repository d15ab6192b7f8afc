"""The long proofs of the run log: kills at random moments, damaged files, and a million steps.

python -m benchmarks.log.prove                                                # all; docs/reliability.md, benchmarks.md
python -m benchmarks.log.prove --kills 4 --damages 20 --sizes 10000           # some of it; nothing is written
python -m benchmarks.log.prove --kills 40 --damages 0 --sizes '' --publish    # some of it, with what it found
python -m benchmarks.log.prove --kept build/proof                             # goes on where it was interrupted
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.log.damage.__main__ import campaign
from benchmarks.log.damage.table import damage_failures, damage_text, further_text
from benchmarks.log.damage.verdict import Verdict
from benchmarks.log.kept import Kept
from benchmarks.log.kills import LATEST, MOST_LOST_SECONDS, ROOT, Kill, kill_writers
from benchmarks.log.million import NUM_BUCKETS, NUM_SERIES
from benchmarks.log.page import PAGE, RELIABILITY, put, table

NUM_KILLS = 500
NUM_DAMAGES = 2000
SIZES = (10_000, 100_000, 1_000_000)
MOST_BYTES = 10.0
MOST_MICROSECONDS = 15.0
STEPS_TEXT = """## A million steps

Written by `make prove-log`.

Steps of {series} series of random numbers, written as fast as they come with a flush every 5,000 steps, sealed, then
asked through `sf.open`: one series as arrays, and 2,000 buckets with least and largest value by SQL. Writing in CPU
time; queries in wall time, the median of three.

{million}
"""
KILLS_TEXT = """## Kills

SIGKILL at {moments} random moments, half of them in the first second after the first row, the others within {latest} s,
while writers log two series and a histogram at every step, seal and merge all the time (after every 4 kB instead of
8 MB); half of the moments meet one writer, half four at once. Everything that was committed must be there, once, in
chunks or in segments of the manifest; each file must pass SQLite's integrity check. What was not yet committed is
brought back from the tail. *Lost* is what was handed over before the kill and not found after it, in seconds of wall
time. At most {promise:.0f} ms are promised, on a machine that gives each thread its turn in time.
The whole proof has 500 moments.{beside}

{kills}
"""


def prove_kills(num_kills: int, kept: Kept) -> list[Kill]:
    known = kept.load(Kill)
    kills: list[Kill] = []
    for seed in range(num_kills):
        found = known.get(seed) or kill_writers(1 if seed % 2 else 4, seed)
        kills += found
        for kill in found if seed not in known else ():
            kept.add(seed, kill)
        worst = max(kill.lost_seconds for kill in found)
        print(f"kill {seed + 1} of {num_kills}: {len(found)} writers, at most {worst:.3f} s lost", flush=True)
        for kill in found:
            if kill.wrong:
                print(f"  WRONG: {kill.wrong}")
    return kills


def prove_damages(num_damages: int, first: int, kept: Kept) -> list[Verdict]:
    known = kept.load(Verdict)
    verdicts = [verdict for found in known.values() for verdict in found]
    num_known = next((seed for seed in range(num_damages) if first + seed not in known), num_damages)
    for verdict in campaign(num_damages - num_known, first + num_known):
        verdicts.append(verdict)
        kept.add(verdict.seed, verdict)
        print(f"damage {len(verdicts)} of {num_damages}: {verdict.failed or 'told or harmless'}", flush=True)
    return verdicts


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
    for num_writers, is_early in product((1, 4), (True, False)):
        some = [kill for kill in kills if kill.num_writers == num_writers and kill.is_early == is_early]
        if not some:
            continue
        late = sum(kill.lost_seconds > MOST_LOST_SECONDS for kill in some)
        rows.append([
            str(num_writers), "the first second" if is_early else "later", str(len(some)),
            f"{sum(kill.num_steps for kill in some):,}",
            f"{sum(kill.num_segments for kill in some):,}", str(sum(kill.was_sealing for kill in some)),
            str(sum(bool(kill.wrong) for kill in some)), f"{sum(kill.num_recovered for kill in some):,}",
            str(sum(kill.num_lost for kill in some)), f"{max(kill.lost_seconds for kill in some):.3f}",
            str(late),
        ])  # fmt: skip
    head = [
        "writers at once",
        "killed in",
        "files",
        "steps handed over",
        "segments",
        "killed in mid-sealing",
        "wrong or doubled",
    ]
    return table([*head, "steps from the tail", "steps lost", "most seconds lost", "over 50 ms"], rows)


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


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.log.prove")
    parser.add_argument("--kills", type=int, default=NUM_KILLS)
    parser.add_argument("--damages", type=int, default=NUM_DAMAGES)
    parser.add_argument("--sizes", type=_numbers, default=list(SIZES))
    parser.add_argument("--seed", type=int, default=0, help="of the first damage")
    parser.add_argument("--further", action="store_true", help="damages are further ones, told beside the whole proof")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="keep results there, and go on with those it has")
    parser.add_argument("--load", help="of the machine meanwhile, if it did other work: told on the page")
    parser.add_argument("--publish", action="store_true", help="write the pages also of a smaller proof")
    options = parser.parse_args(argv)
    wrong: list[str] = []
    is_whole = (options.kills, options.damages, tuple(options.sizes)) == (NUM_KILLS, NUM_DAMAGES, SIZES)
    texts: list[tuple[str, str, Path]] = []
    if options.kills:
        kills = prove_kills(options.kills, Kept(options.kept, "kills"))
        wrong += failures(kills, [])
        beside = (
            f" Meanwhile the machine had a load of {options.load} on {os.cpu_count()} cores." if options.load else ""
        )
        parts = {"kills": kill_table(kills), "promise": 1000 * MOST_LOST_SECONDS, "beside": beside}
        texts.append(("kills", KILLS_TEXT.format(moments=options.kills, latest=f"{LATEST:g}", **parts), RELIABILITY))
    if options.damages:
        verdicts = prove_damages(options.damages, options.seed, Kept(options.kept, "damages"))
        wrong += damage_failures(verdicts)
        part = ("further", further_text) if options.further else ("damages", damage_text)
        texts.append((part[0], part[1](verdicts), RELIABILITY))
    if options.sizes:
        rows = [prove_size(size) for size in options.sizes]
        wrong += failures([], rows)
        texts.append(("proof", STEPS_TEXT.format(series=NUM_SERIES, million=size_table(rows)), PAGE))
    for failure in wrong:
        print(f"FAILED: {failure}", file=sys.stderr)
    for part, text, page in texts:
        print(text)
        if options.publish or (is_whole and not wrong):
            put(part, text, page)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
