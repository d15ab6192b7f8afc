"""What all callbacks do: watch a training from its beginning to its end, log it, and pass findings on as warnings."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from surefoot.capture.own import own_name
from surefoot.judge import Finding
from surefoot.report.text import summary
from surefoot.rules import Level
from surefoot.runlog.write.about import ranks_of
from surefoot.runlog.write.current import current_run, is_decided, log_folder, say, start_run
from surefoot.runlog.write.run import Run
from surefoot.sanitizer import LazyLog, Watch, watch
from surefoot.sanitizer.sanitizer import Listener, Sanitizer
from surefoot.watch.exception import is_the_programs


class SurefootWarning(UserWarning):
    """A finding of surefoot."""


SurefootWarning.__module__ = "surefoot.integrations"  # its public place


class Options(TypedDict, total=False):
    """What every callback takes, with the meaning that it has for `sf.watch` and `sf.Loop`."""

    stop_on: Level | None  # raise FindingError at the step, before the update
    select: Iterable[str] | str
    ignore: Iterable[str] | str
    overhead: float
    thorough: bool
    log: str | os.PathLike[str] | None  # the folder of runs; None: no run is logged


class TrainingWatch:
    """`warn` gets each finding that is no note. Under `surefoot run`, which tells findings itself, it gets none."""

    def __init__(self, warn: Callable[[Finding], None], options: Options) -> None:
        self._options = options
        self._warn = warn
        self._watch: Watch | None = None
        self._shared: Listener | None = None
        self._run: Run | None = None  # its own
        self.findings: list[Finding] = []

    @property
    def is_on(self) -> bool:
        return self._watch is not None or self._shared is not None

    def start(self, *watched: Any, name: str = "", group: str = "") -> None:
        """Starting twice does nothing: frameworks may begin the same training again, as after an evaluation.

        `name` and `group` are what a run of its own is called.
        """
        if self.is_on:
            return
        self.findings = []
        log = self._options.get("log", "runs")
        plain: Any = {name: value for name, value in self._options.items() if name != "log"}
        if Watch._active is None:
            self._watch = watch(*watched, on_finding=self._found, **plain)
        elif Sanitizer.running is not None:  # a watch of the program's own tells findings
            self._shared = Listener(self.findings.append, self._options.get("stop_on"))
            Sanitizer.running.listen(self._shared)
        run = self._open(log, name, group)
        if run is not None and Sanitizer.running is not None:
            Sanitizer.running.log_to(LazyLog(run))

    def log(self, values: Mapping[str, Any], step: int, source: str) -> None:
        """Numbers that the framework has and no logger is told."""
        run = current_run()
        if run is not None and self.is_on and values:
            run.log({own_name(name, source): value for name, value in values.items()}, step)

    def settings(self, given: Mapping[str, Any], source: str) -> None:
        run = current_run()
        if run is not None:
            run.settings(given, source)

    def stop(self, reason: str = "finished") -> None:
        """Stopping twice does nothing."""
        own, shared, run = self._watch, self._shared, self._run
        self._watch = self._shared = self._run = None
        if shared is not None and Sanitizer.running is not None:
            Sanitizer.running.unlisten(shared)
        if own is not None:
            owns = own._owns
            own.stop(reason)
            if owns and ranks_of()[0] == 0:
                folder = None if run is None else run.folder
                say(summary(own.report().without_notes(), log=folder).removeprefix("surefoot: "))
        if run is not None:
            run.close(reason)

    def _open(self, log: Any, name: str, group: str) -> Run | None:
        run = current_run()
        if run is None and log_folder(log) is not None and not is_decided():
            run = self._run = start_run(log, name=name, group=group)
        return run

    def _found(self, finding: Finding) -> None:
        self.findings.append(finding)
        if finding.severity == "note" or self._watch is None or not self._watch._owns:
            return
        try:
            self._warn(finding)
        except Exception as error:  # filters that make warnings errors must not switch the watch off
            if is_the_programs(error):
                raise
            print(f"surefoot: {text_of(finding)}", file=sys.stderr)


def text_of(finding: Finding) -> str:
    """A finding as one line."""
    where = "" if finding.file is None else f" at {finding.file}:{finding.line}"
    return f"{finding.severity}[{finding.rule}]{where}: {finding.message}. Fix: {finding.fix}"


def warn_at_line(finding: Finding) -> None:
    """A warning of Python that names the line of the finding."""
    text = f"{finding.severity}[{finding.rule}] {finding.message}. Fix: {finding.fix}"
    warnings.warn_explicit(text, SurefootWarning, finding.file or "surefoot", finding.line or 0)
