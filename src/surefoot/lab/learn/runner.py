"""Run the two programs of a rule side by side, in processes of their own, and hand on what they tell."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from surefoot.dashboard.server.child import environment
from surefoot.lab.learn.end_with_parent import end, start
from surefoot.rules.lesson import Lesson

MOST_SECONDS = 180.0  # each ends within a few; this one hangs
LOOK_SECONDS = 0.2
CLOSE_SECONDS = 5.0  # until what it wrote last is read
MOST_LINES = 20  # of what a program said before it failed

Message = dict[str, Any]


class Twin:
    """One of the two, while it runs."""

    def __init__(self, name: str, code: str, folder: Path, received: SimpleQueue[Message | None]) -> None:
        self.name = name
        self._received = received
        self._begun = time.monotonic()
        self._output: deque[str] = deque(maxlen=MOST_LINES)
        self._has_reported_end = False
        folder.mkdir()
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        command = [sys.executable, "-m", "surefoot.lab.learn.twin", str(folder / f"{name}.py")]
        self.process = start(command, folder, _environ())
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._threads = [self._error_reader, threading.Thread(target=self._read, daemon=True)]
        for thread in self._threads:
            thread.start()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def close(self) -> None:
        end(self.process)
        for thread in self._threads:
            thread.join(CLOSE_SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def ended(self) -> Message | None:
        """How it ended, where it could not tell by itself."""
        for thread in self._threads:
            thread.join()
        if self._has_reported_end:
            return None
        reason = "took too long" if self.seconds > MOST_SECONDS else "died"
        output = "\n".join(self._output)
        return {"kind": "end", "twin": self.name, "status": self.process.wait(), "reason": reason, "said": output}

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = {**json.loads(line), "twin": self.name}
            if message["kind"] == "end":
                self._has_reported_end = True
                message |= {"seconds": round(self.seconds, 2), "said": self._reported_error(message)}
            self._received.put(message)
        self._received.put(None)

    def _reported_error(self, message: Message) -> str:
        if not message["status"]:
            return ""
        self._error_reader.join(CLOSE_SECONDS)  # its traceback comes by another pipe, and may come later
        return "\n".join(self._output)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._output.append(line.decode("utf-8", "backslashreplace").rstrip())


def run_twins(lesson: Lesson) -> Generator[Message, None, None]:
    """Messages as they come. When this generator is closed, or raises, no process is left."""
    yield {"kind": "begin", "rule": lesson.rule.name, "twins": [name.lower() for name in lesson.programs]}
    received: SimpleQueue[Message | None] = SimpleQueue()
    with _twins(lesson, received) as twins:
        num_running = len(twins)
        while num_running:
            try:
                message = received.get(timeout=LOOK_SECONDS)
            except Empty:
                _end_those_that_hang(twins)
                continue
            if message is None:
                num_running -= 1
            else:
                yield message
        yield from (last for twin in twins if (last := twin.ended()) is not None)
    yield {"kind": "done"}


@contextmanager
def _twins(lesson: Lesson, received: SimpleQueue[Message | None]) -> Iterator[list[Twin]]:
    with tempfile.TemporaryDirectory(prefix="surefoot-learn-", ignore_cleanup_errors=True) as folder:
        twins: list[Twin] = []
        try:
            for name, code in lesson.programs.items():
                twins.append(Twin(name.lower(), code, Path(folder) / name.lower(), received))
            yield twins
        finally:
            for twin in twins:
                twin.close()


def _end_those_that_hang(twins: list[Twin]) -> None:
    for twin in twins:
        if twin.seconds > MOST_SECONDS:
            end(twin.process)


def _environ() -> dict[str, str]:
    """They run in a folder of their own, with one thread each, because there are two, and small."""
    return {**environment(OMP_NUM_THREADS="1"), "SUREFOOT_LOG": "off"}
