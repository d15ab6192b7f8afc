"""Steps that a GradScaler decided against, counted from facts."""

from pathlib import Path

from surefoot.facts import EndFacts, StepFacts, encode
from surefoot.runlog.read.skipped import count_skipped
from surefoot.runlog.schema import ADD_RECORD
from tests.runlog.making import LogFile


def count(file: Path, *records: StepFacts | EndFacts) -> int:
    log = LogFile(file)
    for record in records:
        step = record.index if isinstance(record, StepFacts) else None
        log.connection.execute(ADD_RECORD, (type(record).__name__, step, encode(record)))
    log.connection.close()
    return count_skipped(file)


def test_recorded_and_counted_ones(tmp_path: Path) -> None:
    steps = [StepFacts(0, 1, 1, 1), StepFacts(1, 2, 1, 2, skipped=True), StepFacts(2, 9, 1, 9, alike=((1, 4), (2, 2)))]
    assert count(tmp_path / "a.db", *steps, EndFacts(3, 20, alike=((2, 5), (1, 6)))) == 8
    assert count(tmp_path / "b.db", StepFacts(0, 1, 1, 1), EndFacts(3, 20, alike=((1, 19),))) == 0
