"""One thread for each destination: a server that is slow or dead holds up nobody else."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.alerts.send import Destination, SendError

MOST_WAITING = 20
RETRY_SECONDS = (2.0, 10.0)  # after the first attempt, and after the second
NAP_SECONDS = 0.1

Note = Callable[[str, str, int], None]  # kind of event, what happened, step


@dataclass(frozen=True, slots=True)
class Letter:
    """`subject` is what the run log tells of it."""

    subject: str
    step: int
    payload: Mapping[str, Any]


class Sender:
    """What becomes of each letter is noted; the first failure is said, too."""

    def __init__(self, destination: Destination, note: Note, say: Callable[[str], None]) -> None:
        self._destination = destination
        self._note = note
        self._say = say
        self._letters: queue.SimpleQueue[Letter | None] = queue.SimpleQueue()
        self._under_way: Letter | None = None
        self._is_closing = False
        self._has_failed = False
        self._is_given_up = False
        self._thread = threading.Thread(target=self._run, name="surefoot-alert", daemon=True)
        self._thread.start()

    def put(self, letter: Letter) -> bool:
        """Take it, unless too many wait already."""
        if self._letters.qsize() >= MOST_WAITING:
            return False
        self._letters.put(letter)
        return True

    def close(self, deadline: float) -> None:
        """Send what waits, up to a moment of the monotonic clock; what is left then is noted as failed."""
        self._is_closing = True
        self._letters.put(None)
        self._thread.join(max(0.0, deadline - time.monotonic()))
        if self._thread.is_alive():
            self._is_given_up = True
            left = [self._under_way] if self._under_way is not None else []
            while not self._letters.empty():
                letter = self._letters.get()
                left += [letter] if letter is not None else []
            self._letters.put(None)
            for letter in left:
                self._failed(letter, "the run ended before it was sent")

    def _run(self) -> None:
        while (letter := self._letters.get()) is not None:
            self._under_way = letter
            self._deliver(letter)
            self._under_way = None

    def _deliver(self, letter: Letter) -> None:
        why = self._attempts(letter)
        if self._is_given_up:
            return
        if why is None:
            self._note("alert", f"sent to {self._destination.shown}: {letter.subject}", letter.step)
        else:
            self._failed(letter, why)

    def _attempts(self, letter: Letter) -> str | None:
        """Why it did not arrive in the end."""
        for wait_seconds in (*RETRY_SECONDS, 0.0):
            try:
                self._destination.send(letter.payload)
                return None
            except SendError as error:
                why, may_pass = str(error), error.may_pass
            except Exception as error:  # its text may tell the address
                why, may_pass = type(error).__name__, False
            if not may_pass or not self._waited(wait_seconds):
                break
        return why

    def _waited(self, seconds: float) -> bool:
        """Whether there is time for another attempt: the end of a run does not wait."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._is_closing:
            time.sleep(NAP_SECONDS)
        return not self._is_closing

    def _failed(self, letter: Letter, why: str) -> None:
        shown = self._destination.shown
        self._note("alert-failed", f"not sent to {shown}, {why}: {letter.subject}", letter.step)
        if not self._has_failed:
            self._has_failed = True
            self._say(f"an alert could not be sent to {shown}: {why}. The run log has the alerts that failed.")
