"""Small runs to spoil, and everything that reads them."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing, suppress
from pathlib import Path

from surefoot.facts import BackwardFacts, StepFacts
from surefoot.runlog.checksum import keep_checksums
from surefoot.runlog.doctor import examine
from surefoot.runlog.read import RunLogError, RunLogWarning, Runs
from surefoot.runlog.read.run import load_run
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.write import thread
from surefoot.runlog.write.run import Run

ROOT = Path(__file__).parents[2]
NAME = "20260115-231405-train-3f9c01"
FINDING = {
    "rule": "stale-gradients", "severity": "error", "message": "2 of 2 parameters step twice", "why": "it adds up",
    "fix": "clear them", "file": "train.py", "line": 3, "step": 2, "count": 5, "evidence": {"params": 2},
}  # fmt: skip


def make_runs(folder: Path) -> None:
    """One that has ended, `folder/ended`, and one that was killed, `folder/killed`."""
    for kind in ("ended", "killed"):
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
        command = [sys.executable, "-m", "benchmarks.fuzz.runs", kind, str(folder / kind / NAME)]
        subprocess.run(command, env=environment, check=False)


def write(kind: str, folder: Path) -> None:
    thread.COMMIT_SECONDS = 60.0
    run = Run(folder, "train.py", print)
    for step in range(1, 6):
        run.scalars(step, {"loss": 1 / step, "lr": 0.1})
    run.hist(5, "weights", [-1.0, 0.0, 1.0], [3, 4])
    run.record(StepFacts(at=5, index=5, update=5, optimizer=0, events=(BackwardFacts(at=5, ordinal=5, value=0.2),)))
    run.finding(1, FINDING)
    run.event("resume", "at step 5", 5)
    run.flush()
    run.scalars(6, {"loss": 0.1, "acc": 0.5})
    if kind == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    run.close()


def copied(source: Path, target: Path) -> Path:
    """A fresh copy of a folder of runs; the run in it."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target / NAME


def change_cell(file: Path, table: str, column: int, value: object) -> None:
    """In all rows, with the checksums that belong to it."""
    with closing(sqlite3.connect(file)) as connection:
        keep_checksums(connection)
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        with suppress(sqlite3.IntegrityError, OverflowError), connection:
            connection.execute(f"UPDATE {table} SET {columns[column % len(columns)]} = ?", (value,))
        connection.execute("PRAGMA journal_mode=DELETE")


def read_all(log: Path, *, sql: bool = False) -> None:
    """Whatever is wrong with a run is told by a RunLogError or in `problems`; anything else is a defect of ours."""
    with suppress(RunLogError):
        summarize(Runs(log).load())
        run = load_run(log / NAME)
        for process in run:
            for read in (process.columns, process.findings, process.excerpts, process.events, process.series,
                         process.segments, process.after, lambda records=process.records: list(records())):  # fmt: skip
                with suppress(RunLogError):
                    read()
        for problem in run.problems:
            assert "\n" not in problem, problem
    examine(log / NAME)
    if sql:
        with suppress(RunLogError), warnings.catch_warnings(action="ignore", category=RunLogWarning):
            query = "SELECT * FROM scalars, runs, (SELECT count(*) FROM steps), (SELECT count(*) FROM hists)"
            with closing(Runs(log).sql(query, seconds=20.0)) as answer:
                answer.rows()


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))
