"""A process that a watched program started, from its import of torch to its end: it hands over what it finds."""

import atexit
import dataclasses
import itertools
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, Protocol

from surefoot.alerts.limit import claim
from surefoot.judge import Finding
from surefoot.launch.guard import Guard
from surefoot.launch.handover import Origin, hand_over
from surefoot.launch.hook import surefoot_argv as command
from surefoot.launch.outcome import reason_of
from surefoot.launch.plan import Plan
from surefoot.launch.program import Program
from surefoot.launch.termination import Termination
from surefoot.launch.traceback import clean_in_threads, clean_uncaught
from surefoot.launch.user_code import user_code
from surefoot.launch.watching import Watching
from surefoot.version import __version__

PLAN = "plan.pickle"


class OtherPlan(Protocol):
    """Of commands that do something else in the processes of a program than watch them."""

    def begin(self, folder: Path, argv: list[str], outer_rank: str) -> Any:
        """Something with a `pid`, `finish(status)` and `hand_over()`."""


def keep_plan(plan: Plan | OtherPlan, folder: Path) -> None:
    """For all processes that the program may start."""
    (folder / PLAN).write_bytes(pickle.dumps((__version__, plan)))


def begin(folder: str, argv: list[str], outer_rank: str) -> Any:
    """Watch this process; torch was just imported. `outer_rank` is the RANK that it has from its parent."""
    version, plan = pickle.loads((Path(folder) / PLAN).read_bytes())
    if version != __version__:
        raise RuntimeError(f"it has surefoot {__version__} and was started by {version}")
    if not isinstance(plan, Plan):
        return plan.begin(Path(folder), argv, outer_rank)
    if plan.redirect is not None:
        plan.redirect.install_with_torch()
    child = Child(Path(folder), _own(plan, argv), outer_rank)
    child.start()
    return child


def _own(plan: Plan, argv: list[str]) -> Plan:
    """A worker of multiprocessing runs functions of the program that started it; others are programs themselves."""
    if command.role(argv) != "program":
        return plan
    _, kind, name = command.parse(argv)
    code = () if kind == "-c" or name == "-" else user_code(Program(name, is_module=kind == "-m"))
    return dataclasses.replace(plan, script=command.name(argv), user_code=code)


class Child:
    """Hands over at the first finding of a kind what it has so far, in case that it is killed; at its end all."""

    def __init__(self, folder: Path, plan: Plan, outer_rank: str) -> None:
        self.pid = os.getpid()
        self._folder = folder
        self._outer_rank = outer_rank
        self._started = time.time()
        self._name = f"child-{self.pid}-{time.monotonic_ns()}"
        self._status: int | None = None
        self._is_over = False
        self._watching = Watching(
            plan, say=_say, on_finding=self._found, file=self._log_file(plan.log), claims=folder, is_child=True
        )
        self._guard = Guard(_say)
        self._termination = Termination(lambda: self._guard.run("the report", self._report))  # pools end their workers

    def start(self) -> None:
        self._termination.expect()
        atexit.register(self.finish)
        clean_in_threads()
        clean_uncaught()
        _before_hard_exit(self.finish)
        self.hand_over()
        self._guard.run("the start", self._watching.start)

    def finish(self, status: int | None = None) -> None:
        if os.getpid() == self.pid and not self._is_over:
            self._status = status
            self._termination.tell()

    def hand_over(self, *, is_final: bool = False) -> None:
        report = self._watching.report()
        rank = report.notes[0].rank if report.notes else self._rank
        origin = Origin(self.pid, os.getppid(), self._started, rank, is_final)
        try:
            if self._folder.is_dir():
                hand_over(report, self._folder, self._name, origin)
        except OSError:
            pass  # the run is over, and with it the folder is gone

    def _report(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._watching.close(self._reason(), self._status)
            self.hand_over(is_final=True)

    def _found(self, finding: Finding) -> None:
        self.hand_over()

    @property
    def _rank(self) -> int | None:
        """As launchers tell it, if it is not the one that everything inherits."""
        rank, num_ranks = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
        return int(rank) if rank.isdecimal() and rank != self._outer_rank and num_ranks not in ("", "1") else None

    def _log_file(self, log: Path | None) -> str:
        """Ranks have their usual names, if these are free. A process may become another program and keep its number."""
        rank = f"rank-{self._rank}"
        if log is None or (self._rank is not None and claim(self._folder, rank) and _is_free(log, rank)):
            return ""
        return next(f"{name}.db" for name in _numbered(f"child-{self.pid}") if _is_free(log, name))

    def _reason(self) -> str:
        if self._status is not None:
            return "raised" if self._status else "finished"
        if self._termination.is_wanted:
            return "interrupted"
        error = getattr(sys, "last_value", None)
        return "finished" if error is None else reason_of(error)


def _is_free(log: Path, name: str) -> bool:
    return not (log / f"{name}.db").exists()


def _numbered(name: str) -> Iterator[str]:
    return itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))


def _before_hard_exit(call: Callable[[int], None]) -> None:
    original = os._exit

    def _exit(status: int) -> NoReturn:
        call(status)
        original(status)

    os._exit = _exit


def _say(text: str) -> None:
    with suppress(OSError, ValueError):  # a closed stderr
        if sys.stderr is not None:
            print(f"surefoot: in a child process: {text}", file=sys.stderr)
