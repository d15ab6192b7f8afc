"""A part of a test session, watched."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from surefoot.judge import Finding, read_settings, select
from surefoot.launch.hook.surefoot_import import when_imported
from surefoot.report.place import relative
from surefoot.report.text import finding_as_text
from surefoot.rules import LEVELS, Level, Rule
from surefoot.rules.catalogue import catalogue

if TYPE_CHECKING:
    from surefoot.sanitizer.sanitizer import Sanitizer


class WatchedSpan:
    """What is found from its start to `stop()`.

    Watching starts when torch has been imported, with a sanitizer of its own; a span inside another one interrupts
    that. If the program runs a sanitizer already, the span listens to it, and hears of each rule and line only once.
    """

    innermost: ClassVar[WatchedSpan | None] = None

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = list(rules)
        self.findings: list[Finding] = []  # so far, notes included
        self.sanitizer: Sanitizer | None = None  # there is none before torch is imported
        self.is_shared = False
        self._on = True
        self._outer = WatchedSpan.innermost
        if self._outer is not None:
            self._outer._end("interrupted")
        WatchedSpan.innermost = self
        self._begin()

    def stop(self, reason: str = "finished") -> None:
        """End the watch; some rules speak only now. Stopping twice does nothing."""
        if not self._on:
            return
        self._on = False
        self._end(reason)
        WatchedSpan.innermost = self._outer
        if self._outer is not None:
            self._outer._begin()

    def _begin(self) -> None:
        self._forget = when_imported("torch", self._start)

    def _start(self) -> None:
        from surefoot.sanitizer.sanitizer import Listener, Sanitizer

        self.is_shared = Sanitizer.running is not None
        self.sanitizer = Sanitizer.running or Sanitizer(self._rules, on_failure=_say_failure)
        self._listener = Listener(self._take, rules=frozenset(rule.name for rule in self._rules))
        self.sanitizer.listen(self._listener)
        if not self.is_shared:
            self.sanitizer.start()

    def _end(self, reason: str) -> None:
        self._forget()
        if self.sanitizer is not None:
            if not self.is_shared:
                self.sanitizer.finish(reason)
            self.sanitizer.unlisten(self._listener)
            self.sanitizer = None

    def _take(self, finding: Finding) -> None:
        """A graver finding replaces an earlier one of the same rule and line, as it does in the judge."""
        self.findings = [one for one in self.findings if one.place != finding.place] + [finding]


def chosen_rules(folder: Path) -> Sequence[Rule]:
    """By the project's [tool.surefoot], looked for from a folder upwards."""
    project = read_settings(folder)
    return list(select(catalogue(), project.select, project.ignore).values())


def at_least(level: Level, findings: Iterable[Finding]) -> list[Finding]:
    """The gravest first."""
    reaching = [finding for finding in findings if LEVELS.index(finding.severity) >= LEVELS.index(level)]
    return sorted(reaching, key=lambda finding: -LEVELS.index(finding.severity))


def told(findings: Sequence[Finding]) -> str:
    """One line that names them, for pytest's summary, then all about each."""
    names = ", ".join(f"{finding.severity}[{finding.rule}]{_where(finding)}" for finding in findings)
    return f"surefoot found {names}\n\n" + "\n".join(finding_as_text(finding, io.StringIO()) for finding in findings)


def _where(finding: Finding) -> str:
    return f" at {relative(finding.file) or finding.file}:{finding.line}" if finding.file else ""


def _say_failure(name: str, error: Exception) -> None:
    print(f"surefoot: {name} failed and is switched off; the test goes on. {error!r}", file=sys.stderr)
