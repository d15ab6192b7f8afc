"""Several runs as one curve: their mean at each step, and how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefoot.dashboard.data.charts import EVER, every
from surefoot.dashboard.data.encode import TIMES, Numbers
from surefoot.dashboard.data.track import Cells
from surefoot.dashboard.data.tracks import Memory, known_series
from surefoot.runlog.read.run import Run


def spreads(
    runs: Sequence[Run], memory: Memory, names: Sequence[str], first: int | None, last: int | None, num: int
) -> dict[str, Any]:
    """Of rank 0 of each. A run without the series is not in its mean."""
    begin, end = -EVER if first is None else first, EVER if last is None else last
    found: dict[str, list[Cells]] = {name: [] for name in dict.fromkeys(names)}
    for run in runs:
        process = run.process(0)
        wanted = [series for series in known_series(process) if series.name in found]
        _, read = memory.of(process).read(wanted, begin, end, num)
        for series, (cells, _) in read.items():
            if len(cells):
                found[series.name].append(cells)
    return {"series": [{"name": name, "rank": 0, **spread(some, num)} for name, some in found.items() if some]}


def spread(runs: Sequence[Cells], num: int) -> dict[str, Any]:
    """Mean and standard deviation where every run has a value: a curve that lost some on its way would mislead."""
    edges = _edges(runs, num)
    values = np.stack([_last_in(cells, edges) for cells in runs])
    known = np.isfinite(values).all(axis=0)
    mean = values[:, known].mean(axis=0)
    deviation = values[:, known].std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(mean))
    steps = edges[known]
    times = np.stack([_times_at(cells, steps) for cells in runs]).mean(axis=0)
    return {
        "steps": Numbers(steps), "times": Numbers(times, form=TIMES), "lasts": Numbers(mean),
        "lows": Numbers(mean - deviation), "highs": Numbers(mean + deviation), "nonfinite": [], "num_nonfinite": 0,
        "is_exact": False, "count": len(steps), "every": every(runs[0]), "num_runs": len(runs),
    }  # fmt: skip


def _edges(runs: Sequence[Cells], num: int) -> Any:
    """The steps that all have, if these are few enough; else the ends of equally wide ranges."""
    shared = runs[0].steps
    for cells in runs[1:]:
        shared = np.intersect1d(shared, cells.steps)
    if all((cells.counts == 1).all() for cells in runs) and 2 * len(shared) >= max(map(len, runs)):
        return shared
    low, high = max(int(cells.first_steps[0]) for cells in runs), min(int(cells.steps[-1]) for cells in runs)
    width = max(1, -(-(high - low + 1) // num))
    return np.arange(low + width - 1, high + 1, width, dtype=np.int64)


def _last_in(cells: Cells, edges: Any) -> Any:
    """The last value up to each edge and after the one before."""
    places = np.searchsorted(cells.steps, edges, "right") - 1
    before = np.concatenate([[-EVER], edges[:-1]])
    found = cells.lasts[np.maximum(places, 0)]
    return np.where((places >= 0) & (cells.steps[np.maximum(places, 0)] > before), found, np.nan)


def _times_at(cells: Cells, steps: Any) -> Any:
    """Since its first value: runs began at different times."""
    return np.interp(steps, cells.steps, cells.times - cells.times[0])
