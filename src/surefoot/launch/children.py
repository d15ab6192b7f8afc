"""Child processes that train: each is watched by itself and hands its report to the process the user started.

A child starts from nothing (spawn) or from a copy of its parent (fork), so each begins a watch of its own. What it
needs for that travels with the `multiprocessing.Process` object.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from surefoot.launch.handover import hand_over, received
from surefoot.launch.plan import Plan
from surefoot.launch.termination import Termination
from surefoot.launch.watching import Watching
from surefoot.report import Report

_TICKET = "_surefoot"
_HELPERS = ("torch.utils.data.", "multiprocessing.managers")  # whose children never train


@dataclass(frozen=True, slots=True)
class Ticket:
    """Attached to a process object while it starts. Where it is unpickled, the child gets ready to be watched."""

    plan: Plan
    folder: str

    def __reduce__(self) -> tuple[Any, ...]:
        return (_admit, (self.plan, self.folder))


def _admit(plan: Plan, folder: str) -> Ticket:
    _wrap_bootstrap()
    _wrap_start(plan, lambda: folder)
    return Ticket(plan, folder)


class Children:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._folder: str | None = None
        self._undo: list[Callable[[], None]] = []

    def watch(self) -> None:
        """From now on, children that the program starts are watched."""
        self._undo = [_wrap_bootstrap(), _wrap_start(self._plan, self._make_folder)]

    def collect(self) -> list[Report]:
        """What they handed over. Children started later are not watched."""
        while self._undo:
            self._undo.pop()()
        if self._folder is None:
            return []
        try:
            return list(received(Path(self._folder)).values())
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _make_folder(self) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="surefoot-")
        return self._folder


def _wrap_start(plan: Plan, folder: Callable[[], str]) -> Callable[[], None]:
    original = BaseProcess.start

    def start(self: BaseProcess) -> None:
        if not _is_helper(self):
            vars(self)[_TICKET] = Ticket(plan, folder())
        try:
            original(self)
        finally:
            vars(self).pop(_TICKET, None)

    return _replace("start", original, start)


def _wrap_bootstrap() -> Callable[[], None]:
    original = BaseProcess._bootstrap  # type: ignore[attr-defined]

    def _bootstrap(self: BaseProcess, *args: Any, **kwargs: Any) -> int:
        ticket = vars(self).pop(_TICKET, None)
        if ticket is None:
            return int(original(self, *args, **kwargs))
        return _watch(ticket, lambda: int(original(self, *args, **kwargs)))

    return _replace("_bootstrap", original, _bootstrap)


def _replace(name: str, original: Any, wrapper: Any) -> Callable[[], None]:
    setattr(BaseProcess, name, wrapper)

    def undo() -> None:
        if getattr(BaseProcess, name) is wrapper:
            setattr(BaseProcess, name, original)

    return undo


def _is_helper(process: BaseProcess) -> bool:
    target = getattr(process, "_target", None)
    return str(getattr(target, "__module__", "")).startswith(_HELPERS)


def _watch(ticket: Ticket, run: Callable[[], int]) -> int:
    """The whole life of a watched child; its exit status."""
    folder, name = Path(ticket.folder), f"child-{os.getpid()}"
    status: int | None = None

    def tell() -> None:
        watching.close({None: "interrupted", 0: "finished"}.get(status, "raised"), status or 0)
        report = watching.report()
        if report.steps and folder.is_dir():
            hand_over(report, folder, name)

    watching = Watching(ticket.plan, say=_say, file=f"{name}.db", claims=folder)
    termination = Termination(tell)  # pools terminate their workers
    termination.expect()
    watching.start()
    try:
        status = run()
    finally:
        termination.tell()
    return status


def _say(text: str) -> None:
    print(f"surefoot: in a child process: {text}", file=sys.stderr)
