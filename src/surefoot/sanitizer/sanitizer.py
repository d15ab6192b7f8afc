"""The wiring: watch → run log, judge → findings → whoever listens."""

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from surefoot.facts import Record, ReplicaFacts, StepFacts
from surefoot.judge import Finding, Judge, unwatched
from surefoot.report import Report
from surefoot.rules import LEVELS, Level, Rule
from surefoot.sanitizer.log import LazyLog
from surefoot.sanitizer.validation import LoggedLosses
from surefoot.signals import SignalProbe, signal_probes
from surefoot.watch.exception import is_the_programs
from surefoot.watch.probe import Probe
from surefoot.watch.probes import all_probes
from surefoot.watch.recorder import Recorder
from surefoot.watch.settings import Settings


class FindingError(RuntimeError):
    """Raised at the step, before the update, when a finding reaches `stop_on`."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"{finding.rule}: {finding.message}")
        self.finding = finding

    def __reduce__(self) -> tuple[Any, ...]:  # pools send exceptions to their parent
        return (FindingError, (self.finding,))


FindingError.__module__ = "surefoot"  # its public place, as tracebacks show it


@dataclass(frozen=True, slots=True)
class Listener:
    """Who wants to hear of findings, and from which level on they shall stop the program."""

    on_finding: Callable[[Finding], None] = lambda finding: None
    stop_on: Level | None = None
    rules: frozenset[str] | None = None  # None: all that are asked

    def stops(self, finding: Finding) -> bool:
        return self.stop_on is not None and LEVELS.index(finding.severity) >= LEVELS.index(self.stop_on)


class Sanitizer:
    """Watches this process from `start()` to `finish()`."""

    running: "Sanitizer | None" = None  # of this process

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        stop_on: Level | None = None,
        settings: Settings | None = None,
        log: LazyLog | None = None,
        on_record: Callable[[Record], None] = lambda record: None,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        on_failure: Callable[[str, Exception], None] = lambda name, error: None,
        user_code: tuple[str, ...] = (),
        probes: Sequence[Probe] = (),
    ) -> None:
        self.rules = list(rules)
        self.judge = Judge(self.rules, on_failure, is_the_programs)
        self.signals: SignalProbe | None = None
        probes = [*probes, *all_probes()]  # wrappers of the given ones lie below the others'
        if log is not None or any("signals" in rule.probes for rule in self.rules):  # else nobody asks for them
            self.signals, probes = signal_probes(probes)
        self.recorder = Recorder(self._take, probes, on_failure, user_code, settings)
        self._logged_losses = LoggedLosses(self.recorder)
        self._log: LazyLog | None = None
        self._on_record = on_record
        self._on_failure = on_failure
        self._listeners: list[Listener] = []
        self._stop: FindingError | None = None
        self._num_off = -1
        self._notes: list[ReplicaFacts] = []  # to be compared with those of other ranks
        self.listen(Listener(on_finding, stop_on))
        if log is not None:
            self.log_to(log)

    def log_to(self, log: LazyLog) -> None:
        """From now on, what is seen is written there."""
        if self._log is not None and self._log.run is log.run:
            return
        self._leave_log()
        self._log = log
        log.run.listen(self._logged_losses.scalars)
        self.recorder.losses.listeners.append(log.loss)
        if self.signals is not None:
            writer = self.signals.writer
            writer.on_row, writer.on_histogram, writer.on_batch = log.signals, log.histogram, log.seen.batch
        self.recorder.setup_due = True  # what exists is a part of the record
        log.run.step = log.run.step or (lambda: self.recorder.num_steps)

    def _leave_log(self) -> None:
        if self._log is not None:
            self._log.run.unlisten(self._logged_losses.scalars)
            self.recorder.losses.listeners.remove(self._log.loss)

    def start(self, *, among_models: bool = True) -> None:
        """Watch from now on. `among_models`: some may have been made before."""
        Sanitizer.running = self
        if among_models:
            self.recorder.names.registry.scan()
        self.recorder.start()

    def finish(self, reason: str = "finished") -> None:
        if Sanitizer.running is self:
            Sanitizer.running = None
        if self.recorder.tap.on:
            self.recorder.tap.run("end", self.recorder.emit_end, reason)
            self._attempt(self.recorder.stop)
            if self._log is not None:
                self._attempt(self._log.finish, self.judge.findings)
            self._attempt(self._leave_log)

    def _attempt(self, call: Callable[..., None], *args: Any) -> None:
        """One part of the end. If it fails, the others still follow, and the program ends as it would."""
        try:
            call(*args)
        except Exception as error:
            self._on_failure("end", error)

    def log_more(self, findings: Sequence[Finding]) -> None:
        """What was found without this judge, after the end."""
        if self._log is not None:
            for number, finding in enumerate(findings, len(self.judge.findings)):
                self._log.finding(number, finding)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)
        if listener.stop_on is not None:
            self.recorder.settings = dataclasses.replace(self.recorder.settings, stops=True)

    def unlisten(self, listener: Listener) -> None:
        self._listeners.remove(listener)

    def report(self, script: str) -> Report:
        """What was found so far."""
        self._drop_unwatched()
        judge = self.judge
        not_checked, num_rules = dict(judge.not_checked), len(self.rules)
        return Report(
            script, self.recorder.num_steps, judge.findings, not_checked, num_rules, list(self._notes),
            not_watched=dict(self.recorder.not_watched),
        )  # fmt: skip

    def _take(self, record: Record) -> BaseException | None:
        self._on_record(record)
        if self._log is not None:
            self._log.record(record, self.recorder)
        self._drop_unwatched()
        for finding in self.judge.judge(record):
            self._report(finding)
        if not isinstance(record, StepFacts):
            return None
        if record.note is not None:
            self._notes.append(record.note)
        stop, self._stop = self._stop, None
        return stop

    def _report(self, finding: Finding) -> None:
        if self._log is not None:
            self._log.finding(self.judge.findings.index(finding), finding)
        for listener in list(self._listeners):
            if listener.rules is None or finding.rule in listener.rules:
                listener.on_finding(finding)
                if listener.stops(finding) and self._stop is None:
                    self._stop = FindingError(finding)
                    self.recorder.record_due = True  # so that the next step comes here, if this is none

    def _drop_unwatched(self) -> None:
        """Ask no rule that would judge by half the facts."""
        off = self.recorder.tap.off
        if len(off) != self._num_off:
            self._num_off = len(off)
            probes = {probe.name for probe in self.recorder.probes}
            self.judge.not_checked.update(unwatched(self.rules, off, probes))


@contextmanager
def unseen() -> Iterator[None]:
    """What our own code does in the block is no part of the program that is watched."""
    with Sanitizer.running.recorder.tap.unseen() if Sanitizer.running is not None else nullcontext():
        yield


def _forget_all() -> None:
    """A forked child is another program: it does not go on with its parent's watch."""
    if Sanitizer.running is not None:
        Sanitizer.running.recorder.stop()
        Sanitizer.running = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
