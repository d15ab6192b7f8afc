"""The sanitizer of one process: from the import of torch to the last record."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from surefoot.judge import Finding
from surefoot.launch.plan import Plan
from surefoot.launch.torch_import import when_torch_is_imported
from surefoot.report import Report
from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue
from surefoot.runlog import Run
from surefoot.runlog.write.about import ranks_of
from surefoot.runlog.write.current import decide

if TYPE_CHECKING:
    from surefoot.sanitizer import Sanitizer


class Watching:
    """`file` is the name of this process's part of the run log, if it is no rank of its own."""

    def __init__(
        self,
        plan: Plan,
        *,
        say: Callable[[str], None],
        on_finding: Callable[[Finding], None] = lambda finding: None,
        file: str = "",
    ) -> None:
        self._plan = plan
        self._say = say
        self._on_finding = on_finding
        rank, num_ranks = ranks_of()
        self._run = None
        if plan.log is not None:
            self._run = Run(plan.log, plan.script, say, file=file, rank=rank, num_ranks=num_ranks)
        self._rules: list[Rule] = [rule for name, rule in catalogue().items() if name in plan.rules]
        self._sanitizer: Sanitizer | None = None  # there is none until torch is imported
        self._forget: Callable[[], None] = lambda: None

    def start(self) -> None:
        decide(self._run)  # `sf.log` and loops of the program write to the same run
        self._forget = when_torch_is_imported(self._start)

    def finish(self, reason: str) -> None:
        """The program has ended; its exit functions may still log."""
        self._forget()
        if self._sanitizer is not None:
            self._sanitizer.finish(reason)

    def close(self, reason: str, status: int) -> None:
        self.finish(reason)
        if self._run is not None:
            self._run.close(reason, status)

    def report(self) -> Report:
        if self._sanitizer is None:
            return Report(self._plan.script, num_rules=len(self._rules))
        return self._sanitizer.report(self._plan.script)

    def _start(self) -> None:
        try:
            self._sanitizer = self._make()
            self._sanitizer.start()
        except Exception as error:
            self._say(f"it could not start; the script goes on unwatched. {type(error).__name__}: {error}")

    def _make(self) -> Sanitizer:
        from surefoot.sanitizer import LazyLog, Sanitizer
        from surefoot.watch.settings import Settings

        plan = self._plan
        return Sanitizer(
            self._rules,
            stop_on=plan.stop_on,
            settings=Settings(plan.overhead, plan.gradcheck, plan.max_steps),
            log=None if self._run is None else LazyLog(self._run),
            on_finding=self._on_finding,
            on_failure=self._switched_off,
            user_code=plan.user_code,
        )

    def _switched_off(self, name: str, error: Exception) -> None:
        what = "rule" if name in self._plan.rules else "probe"
        self._say(f"{what} {name} failed and is switched off; the script goes on. {type(error).__name__}: {error}")
