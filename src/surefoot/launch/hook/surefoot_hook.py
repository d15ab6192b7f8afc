"""Follow this process: be ready to watch it when it imports torch, and pass the hook on to what it starts.

Processes that never import torch pay for a few small modules, and nothing of surefoot is imported into them.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # the real one takes longer to import than all of this
if TYPE_CHECKING or __name__ != "surefoot_hook":  # imported by surefoot itself
    from surefoot.launch.hook import surefoot_argv as command
    from surefoot.launch.hook.surefoot_import import when_imported
    from surefoot.launch.hook.surefoot_record import record
    from surefoot.launch.hook.surefoot_spawn import Spawning
else:
    import surefoot_argv as command
    from surefoot_import import when_imported
    from surefoot_record import record
    from surefoot_spawn import Spawning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_HELPERS = ("torch.utils.data.", "multiprocessing.managers")  # whose processes never train


class Follower:
    """One per process, and inherited by its forks."""

    def __init__(self, folder: Callable[[], str], outer_rank: str, argv: list[str]) -> None:
        self._folder = folder
        self.outer_rank = outer_rank  # RANK of the process that started this one: it is inherited
        self.own_rank = os.environ.get("RANK", "")
        self._argv = argv
        self._pid = os.getpid()
        self._forget: list[Callable[[], None]] = []
        self._child: Any = None  # of surefoot.launch.child, when this process has imported torch
        self.spawning = Spawning(self._value, self._started, self._replaced)
        self.before_exec: Callable[[str, list[str], Mapping[Any, Any] | None], None] | None = None
        self.is_on = True

    def install(self) -> None:
        self.spawning.install()
        self._forget.append(when_imported("multiprocessing.process", self._wrap_workers))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before_fork, after_in_child=self._forked)

    def remove(self) -> None:
        self.is_on = False
        for forget in self._forget:
            forget()
        self.spawning.remove()
        self.spawning.withdraw()

    @property
    def _is_watched(self) -> bool:
        return self._child is not None and self._child.pid == os.getpid()

    def follow_torch(self) -> None:
        when_imported("torch", self._begin)

    def seen(self, name: str) -> None:
        record(self._folder(), "seen", {"pid": os.getpid(), "parent": os.getppid(), "name": name})

    def missed(self, why: str) -> None:
        fields = {"pid": os.getpid(), "argv": self._argv, "executable": sys.executable, "why": why}
        record(self._folder(), "missed", fields)

    def _value(self) -> str:
        return self.own_rank + ":" + self._folder() if self.is_on else ""

    def _started(self, pid: int, argv: list[str]) -> None:
        isolating = command.isolating(argv) if command.is_python(argv) else ""
        if command.is_python(argv) and (isolating or command.role(argv) == "program"):
            record(self._folder(), "started", {"pid": pid, "argv": argv, "isolating": isolating})

    def _replaced(self, path: str, argv: list[str], env: Mapping[Any, Any] | None) -> None:
        if not self.is_on:
            return
        if self._is_watched:
            self._child.hand_over()
        elif self.before_exec is not None and os.getpid() == self._pid:
            self.before_exec(path, argv, env)

    def _begin(self) -> None:
        is_first = self.before_exec is not None and os.getpid() == self._pid  # it has its own watch
        if not self.is_on or is_first or self._is_watched:
            return
        try:
            from surefoot.launch.child import begin
        except Exception as error:
            self.missed(f"surefoot can't be imported there ({type(error).__name__}: {error})")
            return
        try:
            self._child = begin(self._folder(), self._argv, self.outer_rank)
        except Exception as error:
            self.missed(f"surefoot could not start there ({type(error).__name__}: {error})")

    def _before_fork(self) -> None:
        if self.is_on:
            self._folder()  # made by the parent, so that its forks know it

    def _forked(self) -> None:
        """A fork by `os.fork` itself is not followed if it has torch already; say so if it trains."""
        optim: Any = sys.modules.get("torch.optim.optimizer")
        if not self.is_on or not hasattr(optim, "register_optimizer_step_post_hook"):
            return
        seen: list[bool] = []

        def stepped(*args: Any) -> None:
            if not seen and not self._is_watched:
                seen.append(True)
                record(self._folder(), "forked", {"pid": os.getpid(), "argv": self._argv})

        optim.register_optimizer_step_post_hook(stepped)

    def _wrap_workers(self) -> None:
        process = sys.modules["multiprocessing.process"].BaseProcess
        original = process._bootstrap

        def _bootstrap(worker: Any, *args: Any, **kwargs: Any) -> Any:
            target = getattr(worker, "_target", None)
            if not self.is_on or str(getattr(target, "__module__", "")).startswith(_HELPERS):
                return original(worker, *args, **kwargs)
            if os.getpid() != self._pid:  # a fork
                self.outer_rank = self.own_rank
            self.seen(worker.name)
            self.follow_torch()
            status = None
            try:
                status = original(worker, *args, **kwargs)
                return status
            finally:
                if self._is_watched:
                    self._child.finish(status)

        process._bootstrap = _bootstrap

        def undo() -> None:
            if process._bootstrap is _bootstrap:
                process._bootstrap = original

        self._forget.append(undo)


def follow(target: str) -> None:
    """Called at the very start of a process that another one of the run has started."""
    outer_rank, _, folder = target.partition(":")
    argv = list(getattr(sys, "orig_argv", None) or [sys.executable])
    role = command.role(argv)
    if role == "surefoot" or not os.path.isdir(folder):  # noqa: PTH112
        return
    follower = Follower(lambda: folder, outer_rank, argv)
    follower.install()
    follower.spawning.environment(None)
    if role == "program":
        follower.seen(command.name(argv))
        follower.follow_torch()
