"""The past, as rules see it."""

from collections import deque
from collections.abc import Iterator, Sequence

from surefoot.facts import EpochFacts, Record, SetupFacts, SignalFacts, StepFacts, ValidationFacts

KEPT_STEPS = 256  # records, each of which may stand for many steps; rules look at most this far back
KEPT_OPTIMIZERS = 64  # whose sampled steps are kept
KEPT_FIRST = 32  # sampled steps of each optimizer that are kept for good: how it began


class History:
    """Earlier records of a run, oldest first. The record being judged is not among them."""

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self._steps: deque[StepFacts] = deque(maxlen=KEPT_STEPS)
        self._epochs: deque[EpochFacts] = deque(maxlen=KEPT_STEPS)
        self._first: dict[int, list[SignalFacts]] = {}
        self._signals: dict[int, deque[SignalFacts]] = {}
        self._validations: dict[int, deque[ValidationFacts]] = {}
        self.setup = SetupFacts(at=0)
        self.num_steps = 0
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        match record:
            case StepFacts():
                self._steps.append(record)
                self.num_steps = record.index
            case EpochFacts():
                self._epochs.append(record)
            case SignalFacts():
                self._add_signals(record)
            case ValidationFacts():
                self._validations.setdefault(record.series, deque(maxlen=KEPT_STEPS)).append(record)
            case SetupFacts():
                self.setup = record
            case _:
                pass

    @property
    def steps(self) -> Sequence[StepFacts]:
        return self._steps

    @property
    def epochs(self) -> Sequence[EpochFacts]:
        return self._epochs

    def of(self, optimizer: int) -> Iterator[StepFacts]:
        """The recorded steps of one optimizer, newest first."""
        return (step for step in reversed(self._steps) if step.optimizer == optimizer)

    def signals(self, optimizer: int) -> Sequence[SignalFacts]:
        """Sampled steps of one optimizer, oldest first: those at the start, and the last ones."""
        return [*self._first.get(optimizer, ()), *self._signals.get(optimizer, ())]

    def validations(self, series: int) -> Sequence[ValidationFacts]:
        """Of one series, oldest first."""
        return self._validations.get(series, ())

    @property
    def num_sampled_optimizers(self) -> int:
        return len(self._first)

    def _add_signals(self, signals: SignalFacts) -> None:
        first = self._first.setdefault(signals.optimizer, [])
        if len(self._first) > KEPT_OPTIMIZERS:
            gone = next(iter(self._first))
            del self._first[gone]
            self._signals.pop(gone, None)
        if len(first) < KEPT_FIRST:
            first.append(signals)
        else:
            self._signals.setdefault(signals.optimizer, deque(maxlen=KEPT_STEPS)).append(signals)
