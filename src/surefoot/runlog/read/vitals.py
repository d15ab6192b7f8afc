"""The few numbers of a process that a list of runs shows, found without numpy, DuckDB or reading a whole file."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.segment import Segment, read_manifest

LOSSES = ("loss", "train/loss", "train_loss", "loss/train", "training_loss")  # the one people mean by "the loss"

# Few statements: a folder may hold a thousand runs.
_LAST_RECORD = "SELECT id, json FROM records WHERE kind = ? ORDER BY id DESC LIMIT 1"
_LAST_STEPS = """
SELECT (SELECT max(last_step) FROM segments), (SELECT substr(steps, -8) FROM chunks ORDER BY id DESC LIMIT 1)
"""
_LOSS_SERIES = f"""
SELECT name, id FROM series WHERE kind = 'scalar' AND place = '' AND name IN ({", ".join("?" for _ in LOSSES)})
"""


@frozen
class Vitals:
    """`sealed_loss` is the newest segment and the series to look up in it, when its last value is only there."""

    updates: int = 0
    last_loss: float | None = None
    sealed_loss: tuple[Segment, int] | None = None
    findings: frozenset[tuple[str, str, str | None, int | None]] = frozenset()  # severity, rule, file, line


def read_vitals(connection: sqlite3.Connection, file: Path, known: Collection[str]) -> Vitals:
    """`known` are the tables that the file has."""
    findings = connection.execute("SELECT severity, rule, file, line FROM findings").fetchall()
    step, facts = _last_records(connection)
    loss = sealed = None
    is_logged = False
    if "chunks" in known:
        step = max(step, _last_step(connection))
        series = _loss_series(connection)
        is_logged = series is not None
        if series is not None:
            loss = _last_value(connection, series)
            if loss is None and "sealed" in known:
                loss = _sealed_value(connection, series)
            if loss is None:
                manifest = read_manifest(connection, file)
                sealed = (manifest[-1], series) if manifest else None
    if not is_logged:
        loss = last_loss(json.loads(facts))
    return Vitals(step, loss, sealed, frozenset(findings))


def _last_records(connection: sqlite3.Connection) -> tuple[int, str]:
    """The number of the last step, and its facts, which are long: they are not parsed if an end came after them."""
    ended, end = connection.execute(_LAST_RECORD, ("EndFacts",)).fetchone() or (0, "{}")
    recorded, last = connection.execute(_LAST_RECORD, ("StepFacts",)).fetchone() or (0, "{}")
    index = json.loads(last).get("index", 0) if recorded > ended else 0
    return max(index, json.loads(end).get("num_steps", 0)), last


def last_loss(facts: dict[str, Any]) -> float | None:
    """Of a step's facts as they are stored."""
    events: Iterable[dict[str, Any]] = facts.get("events", ())
    values = [event.get("value") for event in events if event.get("_") == "BackwardFacts"]
    known = [value for value in values if value is not None]
    return float(known[-1]) if known else None


def _last_step(connection: sqlite3.Connection) -> int:
    sealed, newest = connection.execute(_LAST_STEPS).fetchone()
    return max(sealed or 0, struct.unpack("<q", newest)[0] if newest else 0)


def _loss_series(connection: sqlite3.Connection) -> int | None:
    known = dict(connection.execute(_LOSS_SERIES, LOSSES))
    return next((known[name] for name in LOSSES if name in known), None)


def _last_value(connection: sqlite3.Connection, series: int) -> float | None:
    found: list[tuple[int, bytes]] = []
    for layout, packed in connection.execute("SELECT id, series FROM layouts").fetchall():
        members = struct.unpack(f"<{len(packed) // 4}i", packed)
        if series in members:
            found += connection.execute(
                "SELECT id, substr(vals, (? * num_steps + num_steps - 1) * 8 + 1, 8) FROM chunks "
                "WHERE layout = ? ORDER BY id DESC LIMIT 1",
                (members.index(series), layout),
            ).fetchall()
    return None if not found else float(struct.unpack("<d", max(found)[1])[0])


def _sealed_value(connection: sqlite3.Connection, series: int) -> float | None:
    """As it was noted at sealing. SQLite stores NaN as NULL."""
    row = connection.execute("SELECT last_value FROM sealed WHERE series = ?", (series,)).fetchone()
    if row is None:
        return None
    return float("nan") if row[0] is None else float(row[0])
