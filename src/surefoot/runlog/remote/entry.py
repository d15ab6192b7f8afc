"""What of a run goes into the index."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

from surefoot.runlog.read.column import Column
from surefoot.runlog.read.run import Run
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.read.vitals import LOSSES
from surefoot.runlog.remote.index import Entry
from surefoot.runlog.schema import FINDING_COLUMNS

SPARK = 60  # points of the small curve


def signature_of(folder: Path) -> str:
    """Changes whenever something in the folder does."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file() and not entry.name.endswith("-shm"):
                status = entry.stat()
                found.append((entry.name, status.st_mtime_ns, status.st_size))
    return hashlib.sha256(json.dumps(sorted(found)).encode("utf-8", "surrogateescape")).hexdigest()


def entry_of(run: Run, source: str, signature: str) -> Entry:
    (line,) = summarize([run])
    columns = {
        series: column
        for series, column in run.process(0).columns(lambda series: series.kind == "scalar").items()
        if len(column)
    }
    loss = next((columns[one] for name in LOSSES for one in columns if one.name == name), None)
    summary = dataclasses.asdict(line)
    best = None if loss is None else min(_finite(loss), default=None)
    return Entry(
        run.name, source, signature,
        {**summary, "best_loss": best, "ids": ",".join(process.meta.get("id", "") for process in run)},
        settings=[[name, one.text, one.number, one.type, one.source, one.value] for name, one in run.settings.items()],
        findings=[
            [process.rank, *(found[name] for name in FINDING_COLUMNS)]
            for process in run
            for found in process.findings()
        ],
        series=[
            [process.name, process.rank, one.id, one.kind, one.name, one.place]
            for process in run
            for one in process.series()
        ],
        metrics=[
            [series.name, float(column.values[-1]), min(_finite(column), default=math.nan),
             max(_finite(column), default=math.nan)]
            for series, column in columns.items()
        ],
        spark=[] if loss is None else _thinned(loss.values.tolist()),
    )  # fmt: skip


def _finite(column: Column) -> list[float]:
    return [value for value in column.values.tolist() if math.isfinite(value)]


def _thinned(values: list[float]) -> list[Any]:
    step = max(1, -(-len(values) // SPARK))
    return values[step - 1 :: step] if len(values) % step == 0 else [*values[step - 1 :: step], values[-1]]
