"""Watch a piece of a program with signals at every step, and keep what they tell."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from surefoot.facts import Record, SignalFacts
from surefoot.signals import SignalProbe, signal_probes
from surefoot.watch.probe import Probe
from surefoot.watch.probes import all_probes
from surefoot.watch.recorder import Recorder
from surefoot.watch.settings import Settings


class Measured(Recorder):
    """A recorder with signals; `scalars` are the values by step, `hists` the counts by name."""

    signals: SignalProbe
    records: list[Record]
    scalars: dict[int, dict[str, float]]
    hists: dict[str, list[int]]

    @property
    def facts(self) -> list[SignalFacts]:
        return [record for record in self.records if isinstance(record, SignalFacts)]


@contextmanager
def measuring(overhead: float = 1.0, probes: Sequence[Probe] | None = None) -> Iterator[Measured]:
    """Everything in the block is measured; a probe that fails fails the test. `probes` in place of all others."""
    failures: list[str] = []
    records: list[Record] = []
    signals, probes = signal_probes(all_probes() if probes is None else probes)
    measured = Measured(
        lambda record: records.append(record),  # type: ignore[func-returns-value]
        probes,
        lambda name, error: failures.append(f"{name}: {error!r}"),
        settings=Settings(overhead),
    )
    measured.signals, measured.records, measured.scalars, measured.hists = signals, records, {}, {}

    def on_row(optimizer: int, step: int, values: Mapping[str, float]) -> None:
        measured.scalars.setdefault(step, {}).update(values)

    signals.writer.on_row = on_row
    signals.writer.on_histogram = lambda number, step, name, edges, counts: measured.hists.update({name: list(counts)})
    measured.names.registry.scan()
    measured.start()
    try:
        yield measured
    finally:
        measured.stop()
    if failures:
        pytest.fail(str(failures))
