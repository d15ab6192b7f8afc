"""Sync runs of simulated machines to a folder and to an S3 server of this machine, cut it, and open what is there.

python -m benchmarks.sync                        # docs/benchmarks.md
python -m benchmarks.sync --runs 100 --machines 4
"""

import argparse
import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.dash.dashboards import free_port
from benchmarks.log.page import put, table

ROOT = Path(__file__).parents[2]
RUNS, MACHINES = 1000, 20
STEPS = 200
NUM_CUTS = 10
TURNS = 5
BUCKET = "team"
TEXT = """## Runs of many machines

Written by `make bench-sync`. {runs:,} runs of {steps} steps and two series in folders of {machines} simulated
machines are copied by `surefoot sync`, one machine after the other, to a folder and to an S3 server (moto) beside it.
*Cut*: how many of {cuts} syncs before that were killed in their middle. *Again*: all machines, nothing new. *Open*: a
new process opens the address and lists all runs; *open and loss*: then it asks for the lowest loss of every run in SQL,
from segments where they are. Without what Python takes to start and import; the median of {turns}, nothing cached.
Every run and every value was there afterwards, once.

{table}
"""
_OPEN = """
import json, sys, time
import duckdb, numpy, fsspec
import surefoot as sf
from surefoot.runlog.remote import runs, sql
fsspec.core.url_to_fs(sys.argv[1])  # imports what it needs, and asks nobody
begun = time.monotonic()
there = sf.open(sys.argv[1])
rows = there.sql("SELECT run, status, last_loss FROM runs").rows()
opened = time.monotonic() - begun
lows = there.sql("SELECT run, min(value), count(*) FROM scalars WHERE name = 'loss' GROUP BY run").rows()
num_values = sum(row[2] for row in lows)
print(json.dumps([opened, time.monotonic() - begun, len({row[0] for row in rows}), len(lows), num_values]))
"""


def log_runs(folder: Path, machines: int, runs: int) -> list[Path]:
    """Without a program for each: what counts here is what lies on the disk."""
    import surefoot as sf

    homes = [folder / f"machine-{number:02}" for number in range(machines)]
    for number in range(runs):
        with sf.start_run(homes[number % machines], name="train", config={"lr": 0.1 / (1 + number % 7)}) as run:
            for step in range(1, STEPS + 1):
                run.log({"loss": (1 + number % 13) / step, "acc": 1 - math.exp(-step / 50)}, step=step)
    return homes


def syncing(home: Path, address: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "surefoot", "sync", str(home), address]
    return subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.DEVNULL, start_new_session=True)


def sync_all(homes: Sequence[Path], address: str) -> float:
    begun = time.monotonic()
    for home in homes:
        if syncing(home, address).wait() != 0:
            raise SystemExit(f"{home} could not be synced to {address}")
    return time.monotonic() - begun


def cut(homes: Sequence[Path], address: str, num: int) -> int:
    """How many were still at it when they were killed."""
    killed = 0
    for number in range(num):
        process = syncing(homes[number % len(homes)], address)
        time.sleep(1.0 + 0.25 * number)
        killed += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return killed


def opened(address: str, cache: Path) -> list[float]:
    shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run([sys.executable, "-c", _OPEN, address], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: list[float] = json.loads(done.stdout)
    return found


@contextlib.contextmanager
def storage() -> Iterator[str]:
    """An S3 server; its address is in the environment, as s3fs reads it."""
    port = free_port()
    command = [str(Path(sys.executable).parent / "moto_server"), "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1",
                   "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}  # fmt: skip
    try:
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                break
            time.sleep(0.05)
        import boto3

        boto3.client("s3").create_bucket(Bucket=BUCKET)
        yield f"s3://{BUCKET}/runs"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def measure(name: str, homes: Sequence[Path], address: str, num_runs: int, cache: Path) -> list[str]:
    killed = cut(homes, address, NUM_CUTS)
    first, again = sync_all(homes, address), sync_all(homes, address)
    times = [opened(address, cache) for _ in range(TURNS)]
    for one in times:
        assert one[2:] == [num_runs, num_runs, num_runs * STEPS], one
    seconds = [median(column) for column in list(zip(*times, strict=True))[:2]]
    row = [name, str(killed), f"{first:.0f} s", f"{again:.1f} s", *(f"{value:.2f} s" for value in seconds)]
    print(row, flush=True)
    return row


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sync")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--machines", type=int, default=MACHINES)
    options = parser.parse_args(argv)
    os.environ |= {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as made, storage() as bucket:
        place = Path(made)
        homes = log_runs(place / "machines", options.machines, options.runs)
        print("logged", flush=True)
        rows = [
            measure(name, homes, address, options.runs, place / "cache")
            for name, address in (("a folder", str(place / "share")), ("S3", bucket))
        ]
    head = ["address", "cut", "first sync", "again", "open", "open and loss"]
    text = TEXT.format(
        runs=options.runs, machines=options.machines, steps=STEPS, cuts=NUM_CUTS, turns=TURNS, table=table(head, rows)
    )
    print(text)
    if (options.runs, options.machines) == (RUNS, MACHINES):
        put("sync", text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
