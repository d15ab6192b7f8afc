"""Processes that take trials one after the other."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from surefoot.lab.ablate.plan import Budget, Outcome, Plan
from surefoot.runlog.write.current import VARIABLE

END_SECONDS = 5.0  # for a process that was asked to end


class Crew:
    """`with Crew(…) as crew: for outcome in crew.run(plans)`. At the end of the block no process is left."""

    def __init__(self, make: Callable[..., Any], budget: Budget, log: Any, num_processes: int) -> None:
        self._arguments = (make, budget, log, max(1, (os.cpu_count() or 1) // num_processes))
        self._num = num_processes
        self._members: list[_Member] = []

    def run(self, plans: Sequence[Plan]) -> Iterator[Outcome]:
        waiting = deque(plans)
        while waiting or any(member.plan for member in self._members):
            self._hand_out(waiting)
            busy = {member.connection: member for member in self._members if member.plan}
            for connection in wait(list(busy)):
                outcome = self._receive(busy[connection])  # type: ignore[index]
                if outcome is not None:
                    yield outcome

    def _hand_out(self, waiting: deque[Plan]) -> None:
        while waiting:
            idle = next((member for member in self._members if member.plan is None), None)
            if idle is None and len(self._members) == self._num:
                return
            if idle is None:
                idle = _Member(self._arguments)
                self._members.append(idle)
            idle.take(waiting.popleft())

    def _receive(self, member: _Member) -> Outcome | None:
        """An outcome, or None from one that is ready to begin."""
        plan = member.plan
        assert plan is not None
        try:
            outcome: Outcome | None = member.connection.recv()
        except (EOFError, OSError):
            self._members.remove(member)
            member.end()
            status = member.process.exitcode
            if not member.is_ready:  # so would all others
                raise RuntimeError(
                    f"a process for the trials ended with status {status} before it began; what it said is above."
                ) from None
            return Outcome(plan, error=f"its process ended with status {status}; memory may have run out")
        member.is_ready = True
        if outcome is not None:
            member.plan = None
        return outcome

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *failure: object) -> None:
        for member in self._members:
            if member.plan is not None:
                member.process.terminate()
        for member in self._members:
            member.end()


class _Member:
    def __init__(self, arguments: tuple[Any, ...]) -> None:
        context = multiprocessing.get_context("spawn")  # forked threads of torch would hang
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, *arguments))
        self.plan: Plan | None = None
        self.is_ready = False
        self.process.start()
        theirs.close()

    def take(self, plan: Plan) -> None:
        self.plan = plan
        with contextlib.suppress(OSError):  # it has died: its end of the pipe tells
            self.connection.send(plan)

    def end(self) -> None:
        self.connection.close()  # which is what an idle one waits for
        self.process.join(END_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(
    connection: Connection, make: Callable[..., Any], budget: Budget, log: Any, num_threads: int
) -> None:  # in the other process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the first process ends the others
    quiet = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the process lives
    sys.stdout = sys.stderr = quiet  # many at once are unreadable; errors are handed back
    import torch

    from surefoot.lab.ablate.training import train

    torch.set_num_threads(num_threads)
    if log is not None:
        os.environ.pop(VARIABLE, None)  # the loops of the trials take part in what ablate() was asked for
    with contextlib.suppress(EOFError, OSError):
        connection.send(None)
        while True:
            connection.send(train(make, connection.recv(), budget, log))
