"""Layers × steps: one number for each cell of a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from surefoot.dashboard.data.charts import EVER
from surefoot.dashboard.data.encode import Numbers
from surefoot.dashboard.data.track import Cells, Odd
from surefoot.dashboard.data.tracks import Memory, Tracks, known_series
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.error import DAMAGE
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.series import Series

SERIES = ("grad_norm", "update_ratio", "param_norm", "grad_zeros")
ACTIVATIONS = {"act_mean": "mean", "act_spread": "spread", "act_zeros": "zeros", "act_flat": "flat"}
KINDS = (*SERIES, *ACTIVATIONS)
COLUMNS, MOST_COLUMNS = 200, 1000
_GAP = -1.7976931348623157e308  # no measured value is like it, and NaN is one

_NO_GRADIENT = -1e308  # likewise, and more than a gap; told as -Infinity, which no norm is
_MOVED = "update_ratio"
_SETUPS = "SELECT json FROM records WHERE kind = 'SetupFacts' ORDER BY id DESC LIMIT 16"

Curves = dict[str, Column]  # by layer, in the order of the model


def heatmap(
    process: StoredProcess, memory: Memory, of: str, first: int | None, last: int | None, num: int
) -> dict[str, Any]:
    """Of each cell the highest value; one that is not finite counts more than any, no gradient at all for less."""
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
    table[table == _NO_GRADIENT] = -np.inf
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
        lead, layer = _layer(series.name, of)
        if layer:
            wanted[series] = lead, layer
    tracks = memory.of(process)
    _, cells = tracks.read(list(wanted), first, last, MOST_COLUMNS * 4)
    gaps = _odd_moves(process, tracks, wanted, cells, first, last) if of == "grad_norm" else {}
    places = places_in_model(process)
    curves = {}
    for series in sorted(cells, key=lambda one: places.get(wanted[one][1], len(places))):
        some = cells[series][0]
        odd = np.where(np.isfinite(some.lasts), np.nan, some.lasts)
        if series in gaps:
            odd = np.where(gaps[series], np.where(np.isnan(some.highs), _NO_GRADIENT, some.highs), odd)
        values = np.where(some.odd > 0, odd, some.highs)
        curves["".join(wanted[series])] = Column(some.first_steps, some.times, values)
    return curves


def _layer(name: str, of: str) -> tuple[str, str]:
    """The optimizer's lead and the parameter; "" if it is no such series."""
    lead, found, layer = name.partition(f"{of}/")
    own = found and (not lead or (lead.startswith("optimizer-") and lead.endswith("/")))
    return (lead, layer) if own else ("", "")


def _odd_moves(
    process: StoredProcess, tracks: Tracks, wanted: Mapping[Series, tuple[str, str]],
    cells: Mapping[Series, tuple[Cells, Odd]], first: int, last: int,
) -> dict[Series, Any]:  # fmt: skip
    """Where a norm that is NaN means that there was no gradient: one that is NaN moves the weights to NaN as well."""
    asked = {wanted[series]: series for series, (some, _) in cells.items() if some.odd.any()}
    moves = {series: asked[key] for series in known_series(process) if (key := _layer(series.name, _MOVED)) in asked}
    _, moved = tracks.read(list(moves), first, last, MOST_COLUMNS * 4)
    found = {}
    for series, (some, _) in moved.items():
        norms = cells[moves[series]][0]
        if np.array_equal(some.first_steps, norms.first_steps):
            found[moves[series]] = (some.odd == 0) & ~np.isinf(norms.lasts)
    return found


def places_in_model(process: StoredProcess) -> dict[str, int]:
    """Of parameters in their model, as far as it was told; the others keep the order in which they came."""
    try:
        with snapshot(process.file) as connection:
            texts = connection.execute(_SETUPS).fetchall()
    except DAMAGE:
        return {}
    places: dict[str, int] = {}
    for (text,) in texts:
        for param in json.loads(text).get("parameters", ()):
            places.setdefault(str(param.get("name", "")), len(places))
    return places


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
