"""Run a program as it is, and trace some of its steps."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.judge import Finding
from surefoot.lab.trace.source_lines import source_of
from surefoot.lab.trace.stage import Trace
from surefoot.launch import outcome
from surefoot.launch.hook.surefoot_import import when_imported
from surefoot.launch.outcome import Outcome
from surefoot.launch.program import Program
from surefoot.launch.termination import Termination
from surefoot.launch.traceback import clean_in_threads
from surefoot.launch.user_code import user_code
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.secret import masked
from surefoot.runlog.write.current import decide

if TYPE_CHECKING:
    from surefoot.lab.trace.trace_probe import TraceProbe
    from surefoot.lab.trace.tracer import Tracer
    from surefoot.sanitizer import Sanitizer


class TraceSession:
    """`tell` gets the trace, once, also when the program raises or is terminated."""

    def __init__(
        self,
        program: Program,
        *,
        first: int = 1,
        num_steps: int = 2,
        to_end: bool = False,
        tell: Callable[[Trace], None],
        say: Callable[[str], None],
    ) -> None:
        self._program = program
        self._to_end = to_end
        self._tell = tell
        self._say = say
        self._pid = os.getpid()
        self._trace = Trace(
            program.name, first, num_steps, started=datetime.now(UTC).isoformat(timespec="seconds"),
            folder=str(Path.cwd()), command=tuple(masked((program.name, *program.args))),
        )  # fmt: skip
        self._ended = Outcome(1, "interrupted")  # until it has ended otherwise
        self._sanitizer: Sanitizer | None = None  # there is none until torch is imported
        self._tracer: Tracer | None = None
        self._probe: TraceProbe | None = None

    def run(self) -> Outcome:
        """Run the program until the last step was traced, or to its very end; then tell."""
        termination = Termination(self._report)
        termination.expect()
        decide(None)  # half a run is nothing to keep
        forget = when_imported("torch", self._start)
        clean_in_threads()
        self._ended = outcome.run(self._program.run)
        outcome.wait_for_threads()
        forget()
        self._finish()
        outcome.run_exit_functions()
        if os.getpid() == self._pid:  # else a child that the program forked and let run on to here
            termination.tell()
        return self._ended

    def _start(self) -> None:
        try:
            self._sanitizer = self._make()
            self._sanitizer.start()
        except Exception as error:
            self._say(f"the trace could not start. {type(error).__name__}: {error}")

    def _make(self) -> Sanitizer:
        from surefoot.lab.trace.answer import AnswerProbe
        from surefoot.lab.trace.forward import ForwardProbe
        from surefoot.lab.trace.trace_probe import TraceProbe
        from surefoot.lab.trace.tracer import Tracer
        from surefoot.sanitizer import Sanitizer
        from surefoot.watch.settings import Settings

        tracer = Tracer(self._trace.first, self._trace.num_steps, to_end=self._to_end)
        probe = TraceProbe(tracer)
        self._tracer, self._probe = tracer, probe
        return Sanitizer(
            [rule for rule in catalogue().values() if "signals" not in rule.probes],  # these need many steps
            settings=Settings(thorough=True),
            on_record=probe.recorded,
            on_finding=self._found,
            on_failure=self._switched_off,
            user_code=user_code(self._program),
            probes=[probe, ForwardProbe(tracer), *([AnswerProbe(probe.epochs)] if self._to_end else [])],
        )

    def _found(self, finding: Finding) -> None:
        if self._probe is not None and finding.severity != "note":
            self._probe.found(f"{finding.severity}[{finding.rule}] {finding.message}")

    def _switched_off(self, name: str, error: Exception) -> None:
        self._say(f"probe {name} failed and is switched off; the script goes on. {type(error).__name__}: {error}")

    def _finish(self) -> None:
        if self._sanitizer is not None:
            self._sanitizer.finish(self._ended.reason)

    def _report(self) -> None:
        self._finish()
        trace = self._trace
        trace.ended = self._ended.reason
        if self._sanitizer is not None and self._tracer is not None and self._probe is not None:
            trace.num_taken = self._sanitizer.recorder.num_steps
            off = self._sanitizer.recorder.tap.off
            trace.off = {name: why for name, why in off.items() if name.startswith("trace")}
            trace.stages = self._tracer.stages
            trace.num_left_out = self._tracer.num_left_out
            trace.optimizers = dict(self._probe.optimizers)
            trace.epochs = self._probe.epochs.told() if self._to_end else ()
            trace.source = source_of(trace)
        self._tell(trace)
