"""Scripts run as processes: many of them by way of the nursery, or one command by itself."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
NURSERY = Path(__file__).with_name("nursery.py")


@dataclass(frozen=True, slots=True)
class Job:
    target: Path | str  # a script, or the name of a module
    argv: tuple[str | Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int | None  # None: it was never run
    stdout: str
    stderr: str

    @property
    def last_words(self) -> str:
        return (self.stderr.strip().splitlines() or [f"exit status {self.status}"])[-1]


def environment() -> dict[str, str]:
    """One thread, and this checkout first on the path."""
    return dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=f"{ROOT / 'src'}{os.pathsep}{ROOT}", NO_COLOR="1")


def run_all(jobs: Sequence[Job], python: Path) -> list[Outcome]:
    """Run every job in a process of its own, forked from one `python` that has torch."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        orders = [_order(job, folder / str(number)) for number, job in enumerate(jobs)]
        (folder / "jobs.json").write_text(json.dumps(orders))
        done = subprocess.run(
            [str(python), str(NURSERY), str(folder / "jobs.json")], env=environment(), stderr=subprocess.PIPE, text=True
        )
        outcomes = [_outcome(order) for order in orders]
    if done.returncode != 0:
        raise RuntimeError(f"the nursery of {python} failed: {done.stderr[-2000:]}")
    return outcomes


def run(command: Sequence[str | Path]) -> Outcome:
    done = subprocess.run([str(part) for part in command], env=environment(), capture_output=True, text=True)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _order(job: Job, folder: Path) -> dict[str, object]:
    folder.mkdir()
    kind = "script" if isinstance(job.target, Path) else "module"
    files = {name: str(folder / name) for name in ("stdout", "stderr", "status")}
    return {kind: str(job.target), "argv": [str(a) for a in job.argv], "folder": str(folder), **files}


def _outcome(order: dict[str, object]) -> Outcome:
    def read(name: str) -> str:
        file = Path(str(order[name]))
        return file.read_text(errors="replace") if file.exists() else ""

    status = read("status")
    return Outcome(int(status) if status else None, read("stdout"), read("stderr"))
