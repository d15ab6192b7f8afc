"""Watch a piece of a program inside a test and keep its records."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from surefoot.facts import Record, StepFacts
from surefoot.watch.probe import Probe
from surefoot.watch.probes import all_probes
from surefoot.watch.recorder import Recorder


class Watched(Recorder):
    records: list[Record]

    @property
    def steps(self) -> list[StepFacts]:
        return [record for record in self.records if isinstance(record, StepFacts)]


@contextmanager
def watching(probes: Sequence[Probe] | None = None) -> Iterator[Watched]:
    """Everything in the block is recorded; a probe that fails fails the test."""
    records: list[Record] = []
    failures: list[str] = []
    watched = Watched(
        lambda record: records.append(record),  # type: ignore[func-returns-value]
        all_probes() if probes is None else probes,
        lambda name, error: failures.append(f"{name}: {error!r}"),
    )
    watched.records = records
    watched.names.registry.scan()
    watched.start()
    try:
        yield watched
    finally:
        watched.stop()
    if failures:
        pytest.fail(str(failures))
