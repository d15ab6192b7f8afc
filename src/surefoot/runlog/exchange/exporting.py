"""Runs in the formats of other tools."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.runlog.exchange.tensorboard import write_header, write_histograms, write_scalars, write_settings
from surefoot.runlog.read.run import Run

if TYPE_CHECKING:
    from surefoot.runlog.read.sql.answer import Answer

COLUMNS = "rank, name, step, time, value"
ROWS = (
    f"SELECT {COLUMNS} FROM scalars UNION ALL "
    "SELECT rank, CASE WHEN place = '' THEN name ELSE name || '[' || place || ']' END AS name, step, time, value "
    "FROM params ORDER BY rank, name, step, time"
)
EVERYTHING: dict[str, Any] = {"seconds": 86400.0, "rows": 2**62}  # a whole run is more than a question


class ExportingError(Exception):
    """Nothing was exported, and why."""


def export_csv(run: Run, target: Path) -> list[str]:
    """A row a value; what could not be read is returned."""
    with _complete(target) as (part, spill), part.open("w", newline="", encoding="utf-8") as stream:
        answer = run.ask(ROWS, spill=spill, **EVERYTHING)
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(answer.columns)
        for batch in answer.batches():
            writer.writerows(batch)
        return _problems(answer)


def export_parquet(run: Run, target: Path) -> list[str]:
    with _complete(target) as (part, spill):
        return _problems(run.ask(ROWS, into=part, spill=spill, **EVERYTHING))


def export_tensorboard(run: Run, target: Path) -> list[str]:
    """An event file; with several processes, a folder with one for each of the others."""
    problems: list[str] = []
    with _complete(target) as (part, spill):
        part.mkdir()
        for number, process in enumerate(run):
            folder = part if number == 0 else part / process.name
            folder.mkdir(exist_ok=True)
            rank = "NULL" if process.rank is None else str(process.rank)
            settings = {name: one.value for name, one in run.settings.items()} if number == 0 else {}
            problems += _write_events(run, rank, spill, folder / f"events.out.tfevents.0.{process.name}", settings)
    return problems


def _write_events(run: Run, rank: str, spill: Path, file: Path, settings: Mapping[str, Any]) -> list[str]:
    where = f"WHERE rank IS NOT DISTINCT FROM {rank}"
    values = run.ask(
        f"SELECT step, time, name, value FROM ({ROWS}) {where} ORDER BY step, time", spill=spill, **EVERYTHING
    )
    hists = run.ask(
        "SELECT step, time, name, list(low ORDER BY low) || [max(high)], list(count ORDER BY low) "
        f"FROM hists {where} GROUP BY step, time, name ORDER BY step, time",
        spill=spill,
        **EVERYTHING,
    )
    with file.open("wb") as stream:
        write_header(stream, 0.0)
        if settings:
            write_settings(stream, settings, run.name, 0.0)
        write_scalars(stream, _by_step(values))
        write_histograms(stream, ((step, time, name, edges, counts) for step, time, name, edges, counts in hists))
    return [*_problems(values), *_problems(hists)]


def _by_step(values: Answer) -> Iterator[tuple[int, float, Mapping[str, float]]]:
    """All values of a step and time together; a series that is logged twice at once starts a new event."""
    key: tuple[int, float] | None = None
    found: dict[str, float] = {}
    for step, time, name, value in values:
        if key is not None and (key != (step, time) or name in found):
            yield (*key, found)
            found = {}
        key = (step, time)
        found[name] = value
    if key is not None:
        yield (*key, found)


def _problems(answer: Answer) -> list[str]:
    answer.close()
    return answer.problems


@contextmanager
def _complete(target: Path) -> Iterator[tuple[Path, Path]]:
    """Where to write, and a folder for what does not fit into memory; the target is there once it is complete."""
    if target.exists():
        raise ExportingError(f"{target} exists already. Name another, or remove it first.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        part, spill = Path(folder) / target.name, Path(folder) / "spill"
        spill.mkdir()
        yield part, spill
        part.rename(target)
