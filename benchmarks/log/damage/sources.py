"""The runs that are damaged.

finished: with segments. killed: before its last commit. ranks: of two, finished. killed-ranks: of two. live: its writer
is alive. rich: with media, settings and a result. old: as version 0.1 wrote it, without checksums.

python -m benchmarks.log.damage.sources KIND FOLDER SEED      # writes one of them, in a process of its own
"""

import dataclasses
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from surefoot.facts import BackwardFacts, EndFacts, StepFacts
from surefoot.runlog.edits import change_labels
from surefoot.runlog.labels import Labels
from surefoot.runlog.media.image import Image
from surefoot.runlog.media.table import Table
from surefoot.runlog.write import seal, thread
from surefoot.runlog.write.result import RESULT
from surefoot.runlog.write.run import Run

ROOT = Path(__file__).parents[3]
KINDS = ("finished", "killed", "ranks", "killed-ranks", "live", "rich", "old")
OLD = ROOT / "tests" / "runlog" / "files" / "version-2"
NUM_STEPS = 240
FINDING = {
    "rule": "stale-gradients", "severity": "error", "message": "2 of 2 parameters step twice", "why": "it adds up",
    "fix": "clear them", "file": "train.py", "line": 3, "step": 2, "count": 5, "evidence": {"params": 2},
}  # fmt: skip


def make(kind: str, folder: Path, seed: int = 0) -> "subprocess.Popen[bytes] | None":
    """The writer, if it is still there: stopped, so that its files stay as they are. The caller ends it."""
    run = folder / name_of(kind, seed)
    if kind == "old":
        shutil.copytree(OLD, run)
        return None
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.log.damage.sources", kind, str(run), str(seed)]
    writer = subprocess.Popen(command, env=environment)
    os.waitid(os.P_PID, writer.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    if kind == "live":
        return writer
    writer.wait()
    return None


def name_of(kind: str, seed: int = 0) -> str:
    return f"20260115-231405-{kind}-3f9c0{seed}"


def write(kind: str, folder: Path, seed: int) -> None:
    if kind == "finished":
        seal.SEAL_BYTES, seal.CLOSE_BYTES = 9000, 10**9
    folder.mkdir(parents=True)
    ranks = 2 if "ranks" in kind else 1
    runs = [Run(folder, "train.py", print, rank=rank, num_ranks=ranks) for rank in range(ranks)]
    for step in range(1, NUM_STEPS + 1):
        for rank, run in enumerate(runs):
            _log(run, step, rank + 10 * seed)
            if kind == "rich" and step % 40 == 0:
                _log_media(run, step, seed)
            if step % 40 == 0:
                run.flush()
    for notes in ("as it was", "as it is to be"):
        change_labels(folder, Labels(), partial(dataclasses.replace, name=kind, tags=("a", "b"), notes=notes))
    if "killed" in kind or kind == "live":
        thread.COMMIT_SECONDS = 60.0
        for run in runs:
            run.flush()
        for step in range(NUM_STEPS + 1, NUM_STEPS + 21):
            for rank, run in enumerate(runs):
                _log(run, step, rank + 10 * seed)
            time.sleep(0.006)
        os.kill(os.getpid(), signal.SIGSTOP if kind == "live" else signal.SIGKILL)
    if kind == "rich":
        runs[0].settings({"lr": 0.1 + seed, "width": 64, "name": f"try {seed}"})
        runs[0].event(RESULT, json.dumps({"of": "check", "summary": f"{seed} of 9 checks passed", "checks": []}))
    for run in runs:
        run.record(EndFacts(at=NUM_STEPS, num_steps=NUM_STEPS))
        run.close()


def _log_media(run: Run, step: int, seed: int) -> None:
    pixels = np.arange(192, dtype="uint8").reshape(8, 8, 3) + step + seed
    run.log({"picture": Image(pixels), "note": f"step {step} of {seed}"}, step)
    run.log({"rows": Table(["step", "value"], [[step, step / 8 + seed]])}, step)


def _log(run: Run, step: int, rank: int) -> None:
    loss = math.exp(-step / 80) + 0.05 * math.sin(step * 78.233 + rank)
    run.scalars(step, {"loss": loss, "lr": 0.1 / step, "acc": 1 - loss / 2, "rank": float(rank)})
    if step % 10 == 0:
        run.scalars(step, {"val/loss": loss * 1.1})
        run.hist(step, "weights", [-1.0, 0.0, 1.0], [step, 2 * step])
        backward = BackwardFacts(at=step, ordinal=step, value=loss)
        run.record(StepFacts(at=step, index=step, update=step, optimizer=0, events=(backward,)))
    if step % 60 == 0:
        run.finding(step // 60, {**FINDING, "step": step, "line": step})
        run.event("resume", f"at step {step}", step)


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
