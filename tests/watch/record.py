"""Run a small program under the probes, without rules."""

from pathlib import Path

import pytest

from surefoot.facts import Record
from surefoot.watch.probes import all_probes
from surefoot.watch.recorder import Recorder


def records_of(code: str, file: Path) -> list[Record]:
    """The records of a program run from a real file, up to its end."""
    records: list[Record] = []

    def emit(record: Record) -> None:
        records.append(record)

    file.write_text(code)
    recorder = Recorder(emit, all_probes(), lambda name, error: pytest.fail(f"{name}: {error!r}"))
    names = {"__name__": "__main__"}  # which a script has until the end, whenever the collector runs
    recorder.start()
    try:
        exec(compile(code, str(file), "exec"), names)
        recorder.tap.run("end", recorder.emit_end, "finished")
    finally:
        recorder.stop()
    return records
