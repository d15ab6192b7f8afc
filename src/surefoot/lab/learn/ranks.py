"""The other ranks of a program that needs several: processes of their own, whose findings join those of the first."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from typing import Any

from surefoot.facts import Record, StepFacts, decode
from surefoot.judge import Finding
from surefoot.report import Report, judge_together
from surefoot.rules.catalogue import catalogue

NUM_RANKS = 2
OTHER = "other-rank"  # how a rank that is not the first is told so
WAIT_SECONDS = 60.0  # for ranks that end later than the first

Message = dict[str, Any]


class OtherRanks:
    """Started by the first rank, which this process becomes; none where they are not wanted."""

    def __init__(self, file: str, *, wanted: bool) -> None:
        self._processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        self._messages: list[Message] = []
        if not wanted:
            return
        shared = {"WORLD_SIZE": str(NUM_RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port())}
        os.environ.update(shared, RANK="0", LOCAL_RANK="0")
        for rank in range(1, NUM_RANKS):
            command = [sys.executable, "-m", "surefoot.lab.learn.twin", file, OTHER]
            environ = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            self._processes.append(
                subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
        self._readers = [threading.Thread(target=self._read, args=[one], daemon=True) for one in self._processes]
        for reader in self._readers:
            reader.start()

    def join(self, has_failed: bool) -> list[Message]:
        """What they told, once they have ended. If the first has failed, they would wait for it."""
        for process, reader in zip(self._processes, self._readers, strict=True):
            if has_failed:
                process.kill()
            reader.join(WAIT_SECONDS)
            process.kill()
            process.wait()
        return self._messages

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self._messages += [json.loads(line) for line in process.stdout]


def is_note(record: Record) -> bool:
    """Whether it tells what only several ranks together can judge."""
    return isinstance(record, StepFacts) and record.note is not None


def judge_all(notes: list[Record], messages: list[Message]) -> list[Finding]:
    """Findings that follow from what all ranks have noted."""
    shown = [*notes, *(decode(message["record"]) for message in messages if message["kind"] == "note")]
    found = [record.note for record in shown if isinstance(record, StepFacts) and record.note is not None]
    return judge_together(Report("", notes=found), catalogue().values(), _fail).findings


def _fail(rule: str, error: Exception) -> None:
    print(f"surefoot: {rule} failed: {error!r}", file=sys.stderr)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
