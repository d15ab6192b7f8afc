"""A process that runs queries for another one: a question in a line of JSON on stdin, the answer in frames on stdout.

It ends when its stdin is closed, also in the middle of a query.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import IO, Any

from surefoot.runlog.box import wire
from surefoot.runlog.box.confine import confine
from surefoot.runlog.box.error import TOO_LARGE, TOO_MUCH_MEMORY, QueryError
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.runs import Runs
from surefoot.runlog.read.sql.answer import ask


def main(memory_bytes: int) -> None:
    import duckdb

    duckdb.connect(":memory:").close()  # what is slow at first is over before anybody waits
    confine(memory_bytes)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nobody else writes between frames
    questions: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, questions), daemon=True).start()
    while True:
        question = questions.get()
        try:
            _answer(question, out)
        except BrokenPipeError:
            os._exit(0)


def _listen(stream: IO[bytes], questions: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in stream:
        questions.put(json.loads(line))
    os._exit(0)


def _answer(question: dict[str, Any], out: IO[bytes]) -> None:
    try:
        _ask(question, out)
    except (QueryError, RunLogError) as error:
        _send(out, wire.pack(wire.WRONG, (type(error).__name__ == "RunLogError", str(error))))
    except MemoryError:
        _send(out, wire.pack(wire.WRONG, (False, TOO_MUCH_MEMORY)))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        _send(out, wire.pack(wire.WRONG, (False, f"{error.strerror or type(error).__name__}: {error.filename}")))


def _ask(question: dict[str, Any], out: IO[bytes]) -> None:
    runs, into, most = Runs(Path(question["folder"])), question["into"], question["bytes"]
    answer = ask(
        lambda: list(runs.load()), question["query"], into=None if into is None else Path(into),
        seconds=question["seconds"], memory=question["memory"], rows=question["rows"], cut=question["cut"],
    )  # fmt: skip
    with contextlib.closing(answer):
        _send(out, wire.pack(wire.HEAD, (answer.columns, answer.types, answer.problems)))
        for batch in answer.batches():
            frame = wire.pack(wire.ROWS, batch)
            most -= len(frame)
            if most < 0:
                raise QueryError(TOO_LARGE.format(question["bytes"] / 1e6))
            _send(out, frame)
        _send(out, wire.pack(wire.END, answer.is_cut))


def _send(out: IO[bytes], frame: bytes) -> None:
    out.write(frame)
    out.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
