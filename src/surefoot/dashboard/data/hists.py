"""Histograms of one name over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.dashboard.data.encode import TIMES, Numbers
from surefoot.runlog.chunk import COUNT, VALUE
from surefoot.runlog.read.connection import has_table, snapshot
from surefoot.runlog.read.process import StoredProcess

MOST = 60

_WHERE = "WHERE series = ? AND step >= ? AND step <= ?"


def hists(process: StoredProcess, name: str, first: int, last: int, most: int = MOST) -> dict[str, Any]:
    """At most so many, spread evenly, those with the newest edges: others can't stand in the same picture."""
    empty: dict[str, Any] = {"steps": [], "times": [], "edges": [], "counts": []}
    with snapshot(process.file) as connection:
        if not has_table(connection, "hists"):
            return empty
        named = connection.execute("SELECT id FROM series WHERE kind = 'hist' AND name = ?", (name,)).fetchone()
        if named is None:
            return empty
        given = (named[0], first, last)
        newest = connection.execute(f"SELECT edges FROM hists {_WHERE} ORDER BY step DESC, id DESC", given).fetchone()
        if newest is None:
            return empty
        ids = connection.execute(
            f"SELECT id FROM hists {_WHERE} AND edges = ? ORDER BY step, id", (*given, newest[0])
        ).fetchall()
        chosen = {ids[place][0] for place in np.linspace(0, len(ids) - 1, min(most, len(ids))).astype(int)}
        rows = connection.execute(
            f"SELECT step, time, counts FROM hists WHERE id IN ({', '.join(map(str, chosen))}) ORDER BY step, id"
        ).fetchall()
        (edges,) = connection.execute("SELECT edges FROM edges WHERE id = ?", (newest[0],)).fetchone()
    return {
        "steps": [step for step, _, _ in rows],
        "times": Numbers([float(time) for _, time, _ in rows], form=TIMES),
        "edges": Numbers(np.frombuffer(edges, VALUE)),
        "counts": [Numbers(np.frombuffer(counts, COUNT)) for _, _, counts in rows],
    }
