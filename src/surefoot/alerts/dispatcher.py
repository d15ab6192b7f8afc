"""Where alerts are made: training hands over and goes on; one thread looks, others send."""

from __future__ import annotations

import os
import queue
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from surefoot.alerts.alert import About, Alert, Found
from surefoot.alerts.evaluator import AlertEvaluator
from surefoot.alerts.request import Request
from surefoot.alerts.send import destination
from surefoot.alerts.sender import Letter, Note, Sender

LOOK_SECONDS = 0.25  # between two looks at what was logged
TICK_SECONDS = 1.0  # between two looks at the clock
MOST_ROWS = 65_536  # that wait to be looked at
CLOSE_SECONDS = 4.0  # that the end of a run waits for alerts under way

Row = tuple[tuple[str, ...], int, float, bytes]  # names, step, time, values as packed doubles


def _nothing(*args: object) -> None:
    """For who keeps no log."""


class AlertDispatcher:
    """`note` writes an event to the run log, `commit` makes it safe: it is called before an alert is sent.

    `claim` says whether a cause is this process's to tell: of several that see the same, one does.
    """

    def __init__(
        self,
        requests: Sequence[Request],
        about: About,
        *,
        say: Callable[[str], None],
        note: Note = _nothing,
        commit: Callable[[], object] = _nothing,
        claim: Callable[[str], bool] = lambda cause: True,
    ) -> None:
        self._about = about
        self._say = say
        self._note = note
        self._commit = commit
        self._claim = claim
        self._pid = os.getpid()
        self._evaluators = [AlertEvaluator(request.wanted) for request in requests]
        self._senders = [Sender(destination(request.url), note, say) for request in requests]
        self.takes_scalars = any(evaluator.has_expressions for evaluator in self._evaluators)
        self._rows: deque[Row] = deque()
        self._found: deque[tuple[Found, float]] = deque()
        self._num_missed = 0
        self._has_received = False
        # Of all queues the one whose put() may be interrupted by a signal handler that puts too.
        self._awake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._is_closing = False
        self._ticked_at = 0.0
        self._thread = threading.Thread(target=self._run, name="surefoot-alerts", daemon=True)
        self._thread.start()

    # --- in the thread that trains

    def scalars(self, names: tuple[str, ...], step: int, time: float, packed: bytes) -> None:
        if len(self._rows) < MOST_ROWS:
            self._rows.append((names, step, time, packed))
        else:
            self._num_missed += 1

    def finding(self, found: Found) -> None:
        if os.getpid() == self._pid:  # a fork has no thread
            self._found.append((found, time.time()))
            self._awake.put(None)

    def close(self) -> None:
        """Look at the rest, send what is due, wait a few seconds for it. Closing twice does nothing."""
        if self._is_closing or os.getpid() != self._pid:
            return
        deadline = time.monotonic() + CLOSE_SECONDS
        self._is_closing = True
        self._awake.put(None)
        self._thread.join(max(0.0, deadline - time.monotonic()))
        for sender in self._senders:
            sender.close(deadline)

    # --- in its own thread

    def _run(self) -> None:
        try:
            while not self._is_closing:
                self._sleep()
                self._look()
            self._look()
            self._report_rest()
        except Exception as error:
            self._say(f"alerts failed and are switched off; training goes on. {type(error).__name__}: {error}")
            self._note("alert-failed", f"alerts are switched off: {type(error).__name__}", 0)

    def _sleep(self) -> None:
        try:
            self._awake.get(timeout=LOOK_SECONDS if self.takes_scalars else None)
        except queue.Empty:
            return

    def _look(self) -> None:
        for _ in range(len(self._found)):
            found, at = self._found.popleft()
            for evaluator, sender in zip(self._evaluators, self._senders, strict=True):
                self._send(evaluator, sender, evaluator.finding(found, at))
        for _ in range(len(self._rows)):
            names, step, at, packed = self._rows.popleft()
            self._has_received = True
            values = struct.unpack(f"<{len(names)}d", packed)
            for evaluator, sender in zip(self._evaluators, self._senders, strict=True):
                alerts = evaluator.row(names, step, at, values)
                if alerts:
                    self._send(evaluator, sender, alerts)
        now = time.time()
        if now - self._ticked_at >= TICK_SECONDS:
            self._ticked_at = now
            for evaluator, sender in zip(self._evaluators, self._senders, strict=True):
                self._send(evaluator, sender, evaluator.tick(now))

    def _send(self, evaluator: AlertEvaluator, sender: Sender, alerts: Sequence[Alert]) -> None:
        for alert in alerts:
            if not self._claim(alert.cause):
                continue
            self._commit()
            letter = Letter(alert.title, alert.step, alert.payload(self._about, evaluator.limit.take_held()))
            if not sender.put(letter):
                evaluator.limit.hold(alert.cause)

    def _report_rest(self) -> None:
        """What was held back and not told since; what nobody could have looked at; names that were never logged."""
        for evaluator, sender in zip(self._evaluators, self._senders, strict=True):
            if evaluator.limit.held:
                causes = ", ".join(f"{num} times {cause}" for cause, num in evaluator.limit.held.most_common(5))
                num = evaluator.limit.take_held()
                title = f"{num} alert{'s' * (num != 1)} held back"
                self._note("alert-held", f"{num} held back: {causes}", 0)
                alert = Alert("held back", "note", title, causes, 0, time.time(), {"causes": causes, "held_back": num})
                sender.put(Letter(title, 0, alert.payload(self._about)))
            for name in evaluator.unseen if self._has_received else ():
                self._say(f"an alert refers to {name!r}, which was never logged.")
        if self._num_missed:
            self._note("alert-missed", f"{self._num_missed} rows came too fast to be looked at", 0)
