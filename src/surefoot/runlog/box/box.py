"""A process that runs queries in place of this one, which may end it at any moment: nothing is lost with it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.runlog.box import wire
from surefoot.runlog.box.confine import read_memory
from surefoot.runlog.box.error import MOST_ROWS, STOPPED, TOO_LONG, QueryError

GRACE_SECONDS = 2.0  # the process interrupts a query at its limit; if it does not get round to that, it is killed
MOST_BYTES = 4_000_000_000
MOST_FRAME_BYTES = 2_000_000_000
SOURCE = Path(__file__).resolve().parents[3]
# Nothing else of the environment is passed on: a query could not read a secret there if it found a way to.
_PASSED_ON = (
    "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "VIRTUAL_ENV", "PYTHONHOME", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """`into` names a Parquet file that is written in place of an answer. `cut`: too many rows are no error."""

    query: str
    folder: Path
    seconds: float = 60.0
    rows: int = MOST_ROWS
    bytes: int = MOST_BYTES
    cut: bool = False
    into: Path | None = None


class Box:
    """One such process. It answers one question at a time."""

    def __init__(self, memory: str) -> None:
        self._memory = memory
        self._is_late = self._is_stopped = False
        command = [sys.executable, "-P", "-m", "surefoot.runlog.box.worker", str(read_memory(memory))]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
            start_new_session=True,  # Ctrl-C is for whoever asked
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, question: Question) -> Answer:
        """The answer, once its columns are known."""
        fields = {"query": question.query, "folder": str(question.folder.absolute()), "seconds": question.seconds,
                  "rows": question.rows, "bytes": question.bytes, "cut": question.cut, "memory": self._memory,
                  "into": None if question.into is None else str(question.into.absolute())}  # fmt: skip
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended: the first frame tells
            self._process.stdin.write(json.dumps(fields).encode() + b"\n")
            self._process.stdin.flush()
        return Answer(self, question)

    def next_frame(self, question: Question) -> tuple[bytes, Any]:
        """The next frame; what went wrong is raised."""
        assert self._process.stdout is not None
        limit = threading.Timer(question.seconds + GRACE_SECONDS, self._give_up)
        limit.daemon = True
        limit.start()
        try:
            kind, value = wire.read(self._process.stdout, MOST_FRAME_BYTES)
        except (wire.FrameError, OSError, ValueError):
            self.kill()
            raise QueryError(self._why_it_ended(question)) from None
        finally:
            limit.cancel()
        if kind == wire.WRONG:
            is_of_log, text = value
            raise _log_error(text) if is_of_log else QueryError(text)
        return kind, value

    def stop(self) -> None:
        """Nobody waits for the answer any more. A signal handler may call it."""
        self._is_stopped = True
        self._process.kill()

    def kill(self) -> None:
        """It has nothing to lose."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError, ValueError):
                assert stream is not None
                stream.close()

    def _give_up(self) -> None:
        self._is_late = True
        self._process.kill()

    def _why_it_ended(self, question: Question) -> str:
        if self._is_stopped:
            return STOPPED
        if self._is_late:
            return TOO_LONG.format(question.seconds)
        return (
            f"the process that ran the query has ended with status {self._process.returncode}, most likely because "
            f"the query needs more memory than the {self._memory} it may use. Ask for less at once."
        )


class Answer:
    """What a box tells. Its rows are taken once, as they come; `is_cut` and the end are known after the last."""

    columns: list[str]
    types: list[str]
    problems: list[str]

    def __init__(self, box: Box, question: Question) -> None:
        self.is_cut = False
        self.is_over = False
        self._box = box
        self._question = question
        try:
            _, (self.columns, self.types, self.problems) = box.next_frame(question)
        except Exception:
            self.is_over = True
            raise

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        while not self.is_over:
            try:
                kind, value = self._box.next_frame(self._question)
            except Exception:
                self.is_over = True
                raise
            if kind == wire.END:
                self.is_over, self.is_cut = True, value
                return
            yield value

    def rows(self) -> list[tuple[Any, ...]]:
        return [row for batch in self.batches() for row in batch]


def _log_error(text: str) -> Exception:
    from surefoot.runlog.read.error import RunLogError  # what reads logs is not needed to ask

    return RunLogError(text)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    paths = [str(SOURCE), os.environ.get("PYTHONPATH", "")]
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
