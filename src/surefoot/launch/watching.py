"""The sanitizer of one process: from the import of torch to the last record."""

from __future__ import annotations

import dataclasses
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.capture import Capture
from surefoot.judge import Finding
from surefoot.judge.coverage import needed
from surefoot.launch.hook.surefoot_import import when_imported
from surefoot.launch.plan import Plan
from surefoot.report import Report
from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.write.about import ranks_of
from surefoot.runlog.write.current import decide
from surefoot.runlog.write.run import Run

if TYPE_CHECKING:
    from surefoot.alerts.exporters import Exporters
    from surefoot.sanitizer import Sanitizer


class Watching:
    """`file` is the name of this process's part of the run log, if it is no rank of its own.

    A child process serves no endpoint: the process that the user started has the port.
    `claims` is a folder in which processes that see the same settle who tells it. Only the first rank has an endpoint,
    and alerts on what is logged: the others tell what they find.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        say: Callable[[str], None],
        on_finding: Callable[[Finding], None] = lambda finding: None,
        file: str = "",
        claims: Path | None = None,
        is_child: bool = False,
    ) -> None:
        self._plan = plan
        self._say = say
        self._on_finding = on_finding
        rank, num_ranks = ranks_of()
        self._run = None
        if plan.log is not None:
            self._run = Run(plan.log, plan.script, say, file=file, rank=rank, num_ranks=num_ranks)
            self._run.is_lent = True
            self._run.label(plan.labels)
        self.rules: list[Rule] = [rule for name, rule in catalogue().items() if name in plan.rules]
        self._sanitizer: Sanitizer | None = None  # there is none until torch is imported
        self._forget: Callable[[], None] = lambda: None
        self._capture = Capture(say)
        self._claims = claims
        self._is_child = is_child
        self._pid = os.getpid()
        self._is_first_rank = rank == 0
        self._among_models = False  # torch was there before, and so may be models
        self._exporters: Exporters | None = None
        self._failure = ""  # why it could not start

    def start(self) -> None:
        decide(self._run)  # `sf.log` and loops of the program write to the same run
        if self._run is not None:
            self._capture.start()
        if not self._is_child:
            self._open_exporters()
        self._among_models = "torch" in sys.modules
        # Importing torch here would be too early: programs set OMP_NUM_THREADS and the like before they import it.
        self._forget = when_imported("torch", self._start)

    def finish(self, reason: str) -> None:
        """The program has ended; its exit functions may still log."""
        self._forget()
        self._capture.stop()
        if self._sanitizer is not None:
            self._sanitizer.finish(reason)

    def close(self, reason: str, status: int | None) -> None:
        self.finish(reason)
        if self._exporters is not None:
            self._exporters.close()  # it records in the run whether the last alerts were sent
        if self._run is not None:
            self._run.is_lent = False
            self._run.close(reason, status)

    def found_together(self, findings: Sequence[Finding]) -> None:
        """By all ranks, after the program's end: findings that are logged and alerted to as any other."""
        if self._sanitizer is not None:
            self._sanitizer.log_more(findings)
        self.alert_to(findings)

    def found_in_children(self, findings: Sequence[Finding]) -> None:
        """By ranks that the program started, together: they have files of their own in the run log, and so has this."""
        if findings and self._plan.log is not None:
            run = Run(self._plan.log, self._plan.script, self._say, file=f"child-{self._pid}.db")
            probes = {probe for rule in catalogue().values() for probe in needed(rule)}
            run.meta("probes", ",".join(sorted(probes)))  # a replay asks; what is missing, the ranks' files tell
            for number, finding in enumerate(findings):
                run.finding(number, dataclasses.asdict(finding))
            run.close()
        self.alert_to(findings)

    def alert_to(self, findings: Sequence[Finding]) -> None:
        if self._exporters is not None:
            for finding in findings:
                self._exporters.finding(finding)

    def report(self) -> Report:
        if self._failure:
            not_checked = {rule.name: f"surefoot could not start: {self._failure}" for rule in self.rules}
            return Report(self._plan.script, not_checked=not_checked, num_rules=len(self.rules))
        if self._sanitizer is None:
            return Report(self._plan.script, num_rules=len(self.rules))
        return self._sanitizer.report(self._plan.script)

    def _open_exporters(self) -> None:
        plan, claims = self._plan, self._claims
        port = plan.prometheus if self._is_first_rank and not self._is_child else None
        is_sender = self._is_first_rank or claims is not None  # of several that see the same, one tells
        if (plan.alerts and is_sender) or port is not None:
            from surefoot.alerts.exporters import Exporters
            from surefoot.alerts.limit import claim

            self._exporters = Exporters(
                plan.alerts,
                port,
                self._run,
                script=plan.script,
                say=self._say,
                findings=lambda: self._sanitizer.judge.findings if self._sanitizer is not None else [],
                num_updates=self._num_updates,
                claim=(lambda cause: True) if claims is None else (lambda cause: claim(claims, cause)),
                takes_scalars=self._is_first_rank,
            )

    def _start(self) -> None:
        if os.getpid() != self._pid:  # a fork that imports torch for itself
            return
        try:
            if self._is_child:  # one that never imports torch needs no threads
                self._open_exporters()
            with _no_garbage_collection():
                self._sanitizer = self._make()
                self._sanitizer.start(among_models=self._among_models)
        except Exception as error:
            self._failure = f"{type(error).__name__}: {error}"
            self._say(f"it could not start; the script goes on unwatched. {self._failure}")

    def _make(self) -> Sanitizer:
        from surefoot.sanitizer import LazyLog, Sanitizer
        from surefoot.watch.settings import Settings

        plan = self._plan
        return Sanitizer(
            self.rules,
            stop_on=plan.stop_on,
            settings=Settings(plan.overhead, plan.gradcheck, plan.max_steps, thorough=plan.thorough),
            log=None if self._run is None else LazyLog(self._run),
            on_finding=self._found,
            on_failure=self.switched_off,
            user_code=plan.user_code,
        )

    def _found(self, finding: Finding) -> None:
        self._on_finding(finding)
        if self._exporters is not None:
            self._exporters.finding(finding)

    def _num_updates(self) -> int:
        counted = None if self._run is None else self._run.step
        return 0 if counted is None else counted()

    def switched_off(self, name: str, error: Exception) -> None:
        what = "rule" if name in self._plan.rules else "probe"
        self._say(f"{what} {name} failed and is switched off; the script goes on. {type(error).__name__}: {error}")


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Imports make objects that stay: looking through all of torch for garbage would take a tenth of their time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
