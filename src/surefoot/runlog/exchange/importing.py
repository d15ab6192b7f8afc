"""Runs made elsewhere become runs like any other."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

from surefoot.runlog.exchange.curves import PROBES, Curves
from surefoot.runlog.exchange.source import Say, Source, SourceError
from surefoot.runlog.folder import run_folder
from surefoot.runlog.setting import as_meta, flat
from surefoot.runlog.write import RunLog

FLUSH_ROWS = 20_000  # far below what makes a writer drop rows
FLUSH_SECONDS = 300.0


class ImportingError(Exception):
    """Nothing was imported, and why."""


def import_run(source: Source, log: Path, say: Say, step: str | None = None) -> Path:
    """Write it to a folder of its own, which is named once it is complete."""
    folder = run_folder(log, f"{source.name}.imported")
    part = folder.with_name(f".{folder.name}.part")
    try:
        num_points = _copy(source, part / "rank-0.db", folder.name, say, step)
        if not num_points:
            raise ImportingError(f"{source.files[0]} holds no scalar: nothing was imported.")
        part.rename(folder)
    except (SourceError, OSError) as error:
        raise ImportingError(str(error)) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _copy(source: Source, file: Path, run: str, say: Say, step: str | None) -> int:
    broken: list[str] = []
    log = RunLog(file, _meta(source, run), broken.append)
    curves = Curves()
    num_points, first, last = 0, float("inf"), 0.0
    try:
        for point in source.points(say, step):
            curves.add(point)
            log.scalars(point.step, {point.name: point.value}, point.time)
            num_points += 1
            if point.time > 0:
                first, last = min(first, point.time), max(last, point.time)
            if num_points % FLUSH_ROWS == 0 and not log.flush(FLUSH_SECONDS):
                break
        if num_points:
            for record in curves.records():
                log.record(record)
            log.meta("started", _iso(first if last else time.time()))
            log.meta("ended", _iso(last or time.time()))
            log.meta("reason", "finished")
        if not log.flush(FLUSH_SECONDS) or broken:
            raise ImportingError(f"the run can't be written: {' '.join(broken) or 'the disk does not keep up'}")
    finally:
        log.close()
    return num_points


def _meta(source: Source, run: str) -> dict[str, str]:
    files = [str(file.absolute()) for file in source.files]
    about = source.about()
    settings = dict(as_meta(name, value, "import") for name, value in flat(dict(about.settings)).items())
    return {
        "run": run, "rank": "0", "num_ranks": "1", "script": source.name, "imported_from": json.dumps(files),
        "probes": ",".join(PROBES), **about.labels.as_meta(), **settings,
    }  # fmt: skip


def _iso(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="seconds")
