"""The loss of a run as a small curve, and its lowest value."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.dashboard.data.charts import EVER
from surefoot.dashboard.data.encode import Numbers
from surefoot.dashboard.data.tracks import Memory, known_series
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.run import Run
from surefoot.runlog.read.vitals import LOSSES

POINTS = 60


def spark(run: Run, memory: Memory) -> dict[str, Any]:
    """Nothing is told of a run without a loss."""
    try:
        process = run.process(0)
        known = {series.name: series for series in known_series(process)}
        loss = next((known[name] for name in LOSSES if name in known), None)
        if loss is None:
            return {"best_loss": None, "spark": []}
        _, found = memory.of(process).read([loss], -EVER, EVER, POINTS)
    except (RunLogError, OSError):
        return {"best_loss": None, "spark": []}
    cells, _ = found[loss]
    lows = cells.lows[np.isfinite(cells.lows)]
    return {"best_loss": float(lows.min()) if len(lows) else None, "spark": Numbers(cells.lasts)}
