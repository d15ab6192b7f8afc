"""SIGKILL at random moments while writing, sealing and merging: what was committed is there, and there once."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from surefoot.runlog.chunk import unpack, unpack_series
from surefoot.runlog.read.connection import is_whole
from surefoot.runlog.write.recover import recover

ROOT = Path(__file__).parents[2]
FIRST, LATEST = 1.0, 3.0  # seconds after the first step: half of all kills come before the first of them
MOST_LOST_SECONDS = 0.05  # of what was handed over


@dataclass(frozen=True)
class Kill:
    """What one writer had handed over when it was killed, and what of it was found afterwards."""

    num_writers: int
    num_steps: int
    num_lost: int
    lost_seconds: float
    num_segments: int
    num_recovered: int  # rows that were not committed, and were brought back from the tail
    was_sealing: bool  # files were found that no manifest names
    is_early: bool  # within the first second
    wrong: str = ""


def kill_writers(num_writers: int, seed: int, *, once_sealed: bool = False) -> list[Kill]:
    """Start some, kill them all at one random moment (after the first sealing, if wanted), look at what is left."""
    is_early = seed % 4 < 2
    delay = random.Random(seed).uniform(0.0 if is_early else FIRST, FIRST if is_early else LATEST)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"rank-{rank}.db") for rank in range(num_writers)]
        with _writing(files) as processes:
            _wait_for(lambda: all(_progress(file).exists() and _progress(file).stat().st_size for file in files))
            if once_sealed:
                _wait_for(lambda: any(Path(folder).glob("*.segments/*.parquet")))
            time.sleep(delay)
            for process in processes:
                process.send_signal(signal.SIGKILL)
        return [_look(file, num_writers, is_early=is_early) for file in files]


@contextlib.contextmanager
def _writing(files: list[Path]) -> Iterator[list["subprocess.Popen[bytes]"]]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.log.killed", str(file), str(_progress(file))], env=environment
        )
        for file in files
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _progress(file: Path) -> Path:
    return file.with_suffix(".told")


def _wait_for(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_there():
        if time.monotonic() > deadline:
            raise SystemExit("a writer did not start, or does not seal")
        time.sleep(0.001)


def _look(file: Path, num_writers: int, *, is_early: bool) -> Kill:
    num_recovered = recover(file, is_whole=is_whole)  # as readers do
    told = np.fromfile(_progress(file), "<f8")
    folder = file.with_suffix(".segments")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        wrong = "" if connection.execute("PRAGMA integrity_check").fetchone() == ("ok",) else "the file is damaged"
        is_made = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'segments'").fetchone() == (1,)
        listed = connection.execute("SELECT file FROM segments ORDER BY file") if is_made else ()
        segments = [name for (name,) in listed]
        found = _found(connection, [folder / name for name in segments]) if is_made else {}
        hists = [step for (step,) in connection.execute("SELECT step FROM hists ORDER BY id")] if is_made else []
    orphans = {one.name for one in folder.glob("*")} - set(segments)
    steps = sorted(found.get("loss", []))
    expected = [(step, step / 8) for step in range(len(steps))]
    if steps != expected:
        wrong = wrong or _difference(steps)
    if sorted(found.get("lr", [])) != [(step, 0.5) for step in range(len(steps))]:
        wrong = wrong or "the second series is not as long as the first"
    if hists != list(range(len(hists))):
        wrong = wrong or "histograms are missing or doubled"
    num_lost = max(0, len(told) - len(steps))
    num_kept = min(len(steps), len(hists))
    seconds = float(told[-1] - told[num_kept]) if num_kept < len(told) else 0.0
    num_segments = len(segments)
    return Kill(num_writers, len(told), num_lost, seconds, num_segments, num_recovered, bool(orphans), is_early, wrong)


def _found(connection: sqlite3.Connection, segments: list[Path]) -> dict[str, list[tuple[int, float]]]:
    names = dict(connection.execute("SELECT id, name FROM series"))
    layouts = {number: unpack_series(packed) for number, packed in connection.execute("SELECT * FROM layouts")}
    found: dict[str, list[tuple[int, float]]] = {}
    for layout, *packed in connection.execute("SELECT layout, num_steps, steps, times, vals FROM chunks"):
        columns = unpack(*packed)
        for series, values in zip(layouts[layout], columns.values, strict=True):
            pairs = zip(columns.steps.tolist(), values.tolist(), strict=True)
            found.setdefault(names[series], []).extend(pairs)
    if segments:
        import duckdb

        query = "SELECT series, step, value FROM read_parquet(?)"
        for series, step, value in duckdb.execute(query, [[str(file) for file in segments]]).fetchall():
            found.setdefault(names[series], []).append((step, value))
    return found


def _difference(steps: list[tuple[int, float]]) -> str:
    numbers = [step for step, _ in steps]
    doubled = len(numbers) - len(set(numbers))
    missing = (max(numbers) + 1 if numbers else 0) - len(set(numbers))
    return f"{doubled} steps are there twice, {missing} are missing among {len(set(numbers))}"
