"""The runs that are damaged: one that finished and has segments, one that was killed, one of two ranks.

python -m benchmarks.log.damage.sources KIND FOLDER      # writes one of them, in a process of its own
"""

import dataclasses
import math
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from surefoot.facts import BackwardFacts, EndFacts, StepFacts
from surefoot.runlog.edits import change_labels
from surefoot.runlog.labels import Labels
from surefoot.runlog.write import seal, thread
from surefoot.runlog.write.run import Run

ROOT = Path(__file__).parents[3]
KINDS = ("finished", "killed", "ranks")
NUM_STEPS = 240
FINDING = {
    "rule": "stale-gradients", "severity": "error", "message": "2 of 2 parameters step twice", "why": "it adds up",
    "fix": "clear them", "file": "train.py", "line": 3, "step": 2, "count": 5, "evidence": {"params": 2},
}  # fmt: skip


def make(kind: str, folder: Path) -> Path:
    """The folder of the new run."""
    run = folder / f"20260115-231405-{kind}-3f9c01"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    subprocess.run(
        [sys.executable, "-m", "benchmarks.log.damage.sources", kind, str(run)], env=environment, check=False
    )
    return run


def write(kind: str, folder: Path) -> None:
    if kind == "finished":
        seal.SEAL_BYTES, seal.CLOSE_BYTES = 9000, 10**9
    folder.mkdir(parents=True)
    ranks = 2 if kind == "ranks" else 1
    runs = [Run(folder, "train.py", print, rank=rank, num_ranks=ranks) for rank in range(ranks)]
    for notes in ("as it was", "as it is to be"):
        change_labels(folder, Labels(), partial(dataclasses.replace, name=kind, tags=("a", "b"), notes=notes))
    for step in range(1, NUM_STEPS + 1):
        for rank, run in enumerate(runs):
            _log(run, step, rank)
            if step % 40 == 0:
                run.flush()
    if kind == "killed":
        thread.COMMIT_SECONDS = 60.0
        runs[0].flush()
        for step in range(NUM_STEPS + 1, NUM_STEPS + 21):
            _log(runs[0], step, 0)
            time.sleep(0.006)
        os.kill(os.getpid(), signal.SIGKILL)
    for run in runs:
        run.record(EndFacts(at=NUM_STEPS, num_steps=NUM_STEPS))
        run.close()


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
    write(sys.argv[1], Path(sys.argv[2]))
