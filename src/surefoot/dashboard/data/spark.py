"""The loss of a run as a small curve, and its lowest value."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.dashboard.data.charts import EVER
from surefoot.dashboard.data.encode import Numbers
from surefoot.dashboard.data.track import Cells, bucketed, cells_of
from surefoot.dashboard.data.tracks import Memory
from surefoot.runlog.read.column import join, read_chunks
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.error import DAMAGE
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import Run
from surefoot.runlog.read.segment import read_manifest
from surefoot.runlog.read.series import read_series
from surefoot.runlog.read.vitals import LOSSES

POINTS = 60


def spark(run: Run, memory: Memory) -> dict[str, Any]:
    """Nothing is told of a run without a loss."""
    try:
        cells = _cells(run.process(0), memory, is_asked_again=run.status == "running")
    except DAMAGE:
        cells = None
    if cells is None:
        return {"best_loss": None, "spark": []}
    lows = cells.lows[np.isfinite(cells.lows)]
    return {"best_loss": float(lows.min()) if len(lows) else None, "spark": Numbers(cells.lasts)}


def _cells(process: StoredProcess, memory: Memory, *, is_asked_again: bool) -> Cells | None:
    """A folder may hold a thousand runs: what is not sealed and grows no more is read in one go, and not kept."""
    with snapshot(process.file) as connection:
        known = {series.name: series for series in read_series(connection) if series.kind == "scalar"}
        loss = next((known[name] for name in LOSSES if name in known), None)
        if loss is None:
            return None
        if not is_asked_again and not read_manifest(connection, process.file):
            column = join(piece for _, piece in read_chunks(connection, [loss.id]))
            return bucketed(cells_of(column), -EVER, EVER, POINTS)
    _, found = memory.of(process).read([loss], -EVER, EVER, POINTS)
    return found[loss][0]
