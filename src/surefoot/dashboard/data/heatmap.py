"""Layers × steps: one number for each cell of a picture."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from surefoot.dashboard.data.charts import EVER
from surefoot.dashboard.data.encode import Numbers
from surefoot.dashboard.data.tracks import Memory, known_series
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.process import StoredProcess

SERIES = ("grad_norm", "update_ratio", "param_norm", "grad_zeros")
ACTIVATIONS = {"act_mean": "mean", "act_spread": "spread", "act_zeros": "zeros", "act_flat": "flat"}
KINDS = (*SERIES, *ACTIVATIONS)
COLUMNS, MOST_COLUMNS = 200, 1000
_GAP = -1.7976931348623157e308  # no measured value is like it, and NaN is one

Curves = dict[str, Column]  # by layer, in the order of the model


def heatmap(
    process: StoredProcess, memory: Memory, of: str, first: int | None, last: int | None, num: int
) -> dict[str, Any]:
    """Of each cell the highest value; one that is not finite counts more than any."""
    begin, end = -EVER if first is None else first, EVER if last is None else last
    found = _activations(process, ACTIVATIONS[of]) if of in ACTIVATIONS else _series(process, memory, of, begin, end)
    curves = {name: _part(column, begin, end) for name, column in found.items()}
    curves = {name: column for name, column in curves.items() if len(column)}
    if not curves:
        return {"rows": [], "steps": [], "last_step": None, "values": [], "low": None, "high": None}
    low = min(int(column.steps[0]) for column in curves.values())
    high = max(int(column.steps[-1]) for column in curves.values())
    known = np.unique(np.concatenate([column.steps for column in curves.values()]))
    # Few sampled steps get a column each: else most of the picture would be empty.
    edges = known if len(known) <= num else low + -(-(high - low + 1) // num) * np.arange(num, dtype=np.int64)
    edges = edges[edges <= high]
    table = np.array([_row(column, edges) for column in curves.values()])
    finite = table[np.isfinite(table) & (table != _GAP)]
    return {
        "rows": list(curves),
        "steps": Numbers(edges),
        "last_step": high,
        "values": [Numbers(row, gap=_GAP, form="%.5g") for row in table],
        "low": float(finite.min()) if len(finite) else None,
        "high": float(finite.max()) if len(finite) else None,
    }


def _row(column: Column, edges: Any) -> Any:
    row = np.full(len(edges), _GAP)
    places = np.searchsorted(edges, column.steps, "right") - 1
    with np.errstate(invalid="ignore"):
        np.maximum.at(row, places, column.values)  # of NaN and anything it makes NaN
    return row


def _part(column: Column, first: int, last: int) -> Column:
    start, end = np.searchsorted(column.steps, first, "left"), np.searchsorted(column.steps, last, "right")
    return Column(column.steps[start:end], column.times[start:end], column.values[start:end])


def _series(process: StoredProcess, memory: Memory, of: str, first: int, last: int) -> Curves:
    """The series by parameter, of all optimizers: `grad_norm/fc.weight`, `optimizer-2/grad_norm/fc.weight`."""
    wanted = {}
    for series in known_series(process):
        lead, found, layer = series.name.partition(f"{of}/")
        if found and layer and (not lead or (lead.startswith("optimizer-") and lead.endswith("/"))):
            wanted[series] = lead + layer
    _, cells = memory.of(process).read(list(wanted), first, last, MOST_COLUMNS * 4)
    curves = {}
    for series, (some, _) in cells.items():
        values = np.where(some.odd > 0, np.where(np.isfinite(some.lasts), np.nan, some.lasts), some.highs)
        curves[wanted[series]] = Column(some.first_steps, some.times, values)
    return curves


def _activations(process: StoredProcess, field: str) -> Curves:
    """From the stored facts, by module. Facts at their default are not stored."""
    with snapshot(process.file) as connection:
        texts = connection.execute("SELECT json FROM records WHERE kind = 'SignalFacts' ORDER BY id").fetchall()
    found: dict[str, list[tuple[int, float]]] = {}
    for (text,) in texts:
        facts = json.loads(text)
        for one in facts.get("activations", ()):
            value = one.get(field, None if field == "flat" else 0.0)
            if value is not None:
                found.setdefault(str(one.get("module") or "(whole)"), []).append((int(facts["index"]), float(value)))
    return {name: _column(pairs) for name, pairs in found.items()}


def _column(pairs: list[tuple[int, float]]) -> Column:
    pairs = sorted(pairs)
    steps = np.array([step for step, _ in pairs], np.int64)
    return Column(steps, np.zeros(len(pairs)), np.array([value for _, value in pairs], np.float64))
