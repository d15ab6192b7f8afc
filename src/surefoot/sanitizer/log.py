"""What the sanitizer writes of a run: facts, findings, and the loss and the rate as they go."""

import dataclasses
from collections import deque
from collections.abc import Mapping, Sequence

from surefoot.facts import Record, StepFacts
from surefoot.judge import Finding
from surefoot.report.cell import remember
from surefoot.runlog.write.run import Run
from surefoot.sanitizer.seen_settings import SeenSettings
from surefoot.watch.recorder import Recorder

MOST_RATES = 8  # of parameter groups; some programs make one for each parameter
EARLY_RECORDS = 256  # kept until the first step: set-up, and epochs without training


class LazyLog:
    """Writes from the first step on: a program that trains nothing leaves no folder behind."""

    def __init__(self, run: Run) -> None:
        self.run = run
        run.has_own_series = True
        self._has_stepped = False
        self.seen = SeenSettings(run)
        self._names: dict[int, list[str]] = {}  # of the series of each optimizer's loss
        self._early: deque[Record] = deque(maxlen=EARLY_RECORDS)

    def record(self, record: Record, recorder: Recorder) -> None:
        self._early.append(record)
        self.seen.record(record)
        if isinstance(record, StepFacts):
            if not self._has_stepped:
                self.run.meta("probes", ",".join(probe.name for probe in recorder.probes))
                self.run.meta("device", _device(recorder))
                self._has_stepped = True
            self._step(record)
        while self._has_stepped and self._early:
            self.run.record(self._early.popleft())

    def loss(self, optimizer: int, step: int, loss: float, factor: float, lr: float | None) -> None:
        """Of every step; `factor` is the program's own division by the length of its windows."""
        if self.run.num_loops:  # a loop knows better
            return
        names = self._names.get(optimizer)
        if names is None:
            names = self._names[optimizer] = [_lead(optimizer) + name for name in ("loss", "lr", "loss_factor")]
        values = {names[0]: loss}
        if lr is not None:
            values[names[1]] = lr
        if factor != 1.0:
            values[names[2]] = factor
        self.run.scalars_soon(step, values)

    def signals(self, optimizer: int, step: int, values: Mapping[str, float]) -> None:
        """What was measured at a step that was just taken."""
        if not self._has_stepped:
            return
        lead = _lead(optimizer)
        named = {lead + name: value for name, value in values.items()} if lead else values
        if self.run.num_loops:  # a loop writes the norm of all gradients itself
            named = {name: value for name, value in named.items() if name != "grad_norm"}
        self.run.scalars_soon(self._step_of(step), named)

    def histogram(self, optimizer: int, step: int, name: str, edges: Sequence[float], counts: Sequence[int]) -> None:
        if self._has_stepped:
            self.run.hist(self._step_of(step), _lead(optimizer) + name, edges, counts)

    def _step_of(self, step: int) -> int:
        """A loop counts applied updates, and has not counted the one that was just taken."""
        return self.run.step() + 1 if self.run.num_loops and self.run.step is not None else step

    def finding(self, number: int, finding: Finding) -> None:
        if self._has_stepped:
            known = dataclasses.asdict(finding)
            if finding.file is not None:
                known["file"] = remember(finding.file)
            self.run.finding(number, known)

    def finish(self, findings: list[Finding]) -> None:
        """Write the last counts."""
        for number, finding in enumerate(findings):
            self.finding(number, finding)

    def _step(self, facts: StepFacts) -> None:
        lead = _lead(facts.optimizer)
        values = {f"{lead}lr/{i}": lr for i, lr in enumerate(facts.lrs[:MOST_RATES]) if i}
        if values and not self.run.num_loops:
            self.run.scalars_soon(facts.index, values)


def _lead(optimizer: int) -> str:
    """Series of the first optimizer have plain names."""
    return "" if optimizer == 1 else f"optimizer-{optimizer}/"


def _device(recorder: Recorder) -> str:
    """Where the first optimizer's parameters are."""
    params = [param for tracked in recorder.optimizers.values() for param in tracked.ledger.params]
    return str(params[0].device) if params else ""
