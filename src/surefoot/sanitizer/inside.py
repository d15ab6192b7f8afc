"""`sf.watch`: the sanitizer from inside a program or a notebook."""

import atexit
import dataclasses
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from torch.nn import Module
from torch.optim import Optimizer

from surefoot.capture import Capture
from surefoot.judge import Finding, read_settings, select
from surefoot.report import Report
from surefoot.report.text import finding_as_text, summary
from surefoot.rules import Level
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer.sanitizer import Listener, Sanitizer
from surefoot.watch.settings import Settings


def watch(
    *watched: Module | Optimizer,
    select: Iterable[str] | str = (),
    ignore: Iterable[str] | str = (),
    stop_on: Level | None = None,
    on_finding: Callable[[Finding], None] | None = None,
    overhead: float = 0.02,
    thorough: bool = False,
) -> "Watch":
    """Watch this process until `stop()`, the end of a `with` block or of the program.

    Everything that trains is watched; the models and optimizers given are known from the start, which matters when
    a backward has already been called. `select` and `ignore` name rules or families. From `stop_on` on ("warning" or
    "error") a finding raises `FindingError` at the step, before the update. Findings are shown on stderr as they
    happen, unless `on_finding` takes them. `overhead` is the share of the step time that measuring may cost; 1 measures
    every step. With `thorough` every window is read closely and recorded, which is slower.

    In a program that runs under `surefoot run`, the watch shares that run's sanitizer.
    """
    for one in watched:
        if not isinstance(one, Module | Optimizer):
            raise TypeError(f"watch() takes modules and optimizers, got {type(one).__name__}.")
    if stop_on not in (None, "note", "warning", "error"):
        raise ValueError(f'stop_on must be "error", "warning", "note" or None, got {stop_on!r}.')
    check_overhead(overhead)
    return Watch(watched, _names(select), _names(ignore), stop_on, on_finding, Settings(overhead, thorough=thorough))


def check_overhead(overhead: float) -> None:
    if not 0 <= overhead <= 1:
        raise ValueError(f"overhead must be a share between 0 and 1, got {overhead!r}.")


class Watch:
    """A running watch. Also a context manager."""

    _active: "Watch | None" = None  # that has a sanitizer of its own
    tells_of_nothing = True  # that no step was seen

    def __init__(
        self,
        watched: tuple[Module | Optimizer, ...],
        selected: list[str],
        ignored: list[str],
        stop_on: Level | None,
        on_finding: Callable[[Finding], None] | None,
        settings: Settings,
    ) -> None:
        project = read_settings(_folder())
        rules = select(catalogue(), selected or project.select, [*project.ignore, *ignored])
        self._rules = frozenset(rules)
        self._script = sys.argv[0] if sys.argv else ""
        shared = Sanitizer.running
        if shared is not None and Watch._active is not None:
            raise RuntimeError("a watch is running already. Call its stop() first, or pass everything to one watch().")
        self._owns = shared is None
        self._shows = self._owns and on_finding is None
        self._listener = Listener(on_finding or self._show, stop_on, self._rules)
        self._sanitizer = shared or Sanitizer(rules.values(), settings=settings, on_failure=_say_failure)
        self._sanitizer.listen(self._listener)
        if settings.thorough:
            recorder = self._sanitizer.recorder
            recorder.settings = dataclasses.replace(recorder.settings, thorough=True)
        self._capture = Capture(lambda text: _print(f"surefoot: {text}\n"))
        self._on = True
        if self._owns:
            Watch._active = self
            self._sanitizer.start()
            self._capture.start()
            atexit.register(self.stop)
        self._introduce(watched)

    @property
    def findings(self) -> list[Finding]:
        """What was found so far, notes included."""
        return [finding for finding in self._sanitizer.judge.findings if finding.rule in self._rules]

    def report(self) -> Report:
        """What was found so far: `print` it, or take its `as_dict()`."""
        report = self._sanitizer.report(self._script)
        report.findings = self.findings
        return report

    def _repr_html_(self) -> str:
        return self.report().without_notes()._repr_html_()

    def stop(self, reason: str = "finished") -> None:
        """End the watch: every hook and every patch is removed. Stopping twice does nothing."""
        if not self._on:
            return
        self._on = False
        if self._owns:
            self._sanitizer.finish(reason)
            self._capture.stop()
            Watch._active = None
            atexit.unregister(self.stop)
            report = self.report().without_notes()
            if self._shows and (report.steps or report.findings or self.tells_of_nothing):
                _print(summary(report) + "\n")
        else:
            self._sanitizer.unlisten(self._listener)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop("finished" if error is None else "raised")

    def _introduce(self, watched: tuple[Module | Optimizer, ...]) -> None:
        recorder = self._sanitizer.recorder
        for one in watched:
            if isinstance(one, Optimizer):
                recorder.tap.run("step", recorder.tracked, one)

    def _show(self, finding: Finding) -> None:
        if self._shows and finding.severity != "note":
            _print(finding_as_text(finding, sys.stderr))


def _names(given: Iterable[str] | str) -> list[str]:
    return [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)


def _folder() -> Path:
    main: Any = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    return Path(file).absolute().parent if file else Path.cwd()


def _say_failure(name: str, error: Exception) -> None:
    _print(f"surefoot: {name} failed and is switched off; training goes on. {error!r}\n")


def _print(text: str) -> None:
    """On stderr, if the program has one that is open."""
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(text, file=sys.stderr, end="")
