"""Run every statement of `statements.py` in a box, and see what it reaches and what it takes."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import surefoot as sf
from benchmarks.door.statements import BOMBS, escapes
from surefoot.runlog.box.box import GRACE_SECONDS, Question
from surefoot.runlog.box.boxes import Boxes
from surefoot.runlog.box.error import QueryError

CANARY = "canary-7f3b9d"
MEMORY = "256MB"
SECONDS = 3.0
LATE_SECONDS = 5.0  # a busy machine may take so long to start another process


@dataclass
class Outcome:
    """`wrong` says what a statement got that it should not have got."""

    num_statements: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    longest_seconds: float = 0.0
    largest_megabytes: float = 0.0


def attack(seconds: float = SECONDS, *, bombs: Sequence[str] = BOMBS, num_escapes: int | None = None) -> Outcome:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        secret, out = folder / "secret.csv", folder / "out"
        secret.write_text(f"a\n{CANARY}\n")
        _make_run(folder / "runs")
        os.environ["SUREFOOT_CANARY"] = CANARY
        before = _state(folder)
        outcome = Outcome()
        with closing(Boxes(MEMORY)) as boxes, _measured(boxes, outcome):
            for sql in (*escapes(str(secret), str(out))[:num_escapes], *bombs):
                _try(boxes, Question(sql, folder / "runs", seconds=seconds, bytes=50_000_000), outcome)
        if _state(folder) != before:
            outcome.wrong.append("files were changed or made")
    return outcome


def _try(boxes: Boxes, question: Question, outcome: Outcome) -> None:
    begun = time.monotonic()
    told = ""
    try:
        with boxes.asked(question) as answer:
            told = str([row for batch in answer.batches() for row in batch[:3]])[:100_000]
        end = "answered"
    except QueryError as error:
        told = str(error)
        end = _kind(told)
    took = time.monotonic() - begun
    outcome.num_statements += 1
    outcome.ends[end] += 1
    outcome.longest_seconds = max(outcome.longest_seconds, took)
    if CANARY in told:
        outcome.wrong.append(f"a secret was told to {question.query[:200]}")
    if "\n" in told and end != "answered":
        outcome.wrong.append(f"more than a line was said about {question.query[:200]}")
    if took > question.seconds + GRACE_SECONDS + LATE_SECONDS:
        outcome.wrong.append(f"{took:.1f} s were spent on {question.query[:200]}")
    with boxes.asked(Question("SELECT count(*) FROM scalars", question.folder)) as answer:
        if answer.rows() != [(3,)]:
            outcome.wrong.append(f"the log was answered wrongly after {question.query[:200]}")


def _kind(told: str) -> str:
    for part, kind in (
        ("took more than", "stopped: time"), ("more memory", "stopped: memory"), ("larger than", "stopped: size"),
        ("has more than", "stopped: rows"), ("has ended", "killed by the system"),
    ):  # fmt: skip
        if part in told:
            return kind
    return "refused"


@contextmanager
def _measured(boxes: Boxes, outcome: Outcome) -> Iterator[None]:
    """The largest resident memory of any of the processes, as the system has noted it."""
    over = threading.Event()

    def measure() -> None:
        while not over.wait(0.02):
            for box in list(boxes._all):
                outcome.largest_megabytes = max(outcome.largest_megabytes, _peak(box.pid))

    thread = threading.Thread(target=measure)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _peak(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _make_run(folder: Path) -> None:
    with sf.start_run(folder, name="attacked") as run:
        for step in range(3):
            run.log({"loss": float(step)}, step)


def _state(folder: Path) -> list[tuple[str, int]]:
    return sorted(
        (str(file), file.stat().st_size) for file in folder.rglob("*") if not file.name.endswith(("-shm", "-wal"))
    )
