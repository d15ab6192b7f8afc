"""What a file holds, read without surefoot's reader."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from surefoot.runlog.chunk import unpack, unpack_series


def ask(file: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


def meta(file: Path) -> dict[str, str]:
    return dict(ask(file, "SELECT key, value FROM meta"))


def scalars(file: Path, kind: str = "scalar") -> dict[str, list[tuple[int, float]]]:
    """Steps and values by name, from chunks and from segments, in the order of steps."""
    names = {number: f"{name}[{place}]" if place else name for number, name, place in ask(
        file, f"SELECT id, name, place FROM series WHERE kind = '{kind}'"
    )}  # fmt: skip
    layouts = {number: unpack_series(packed) for number, packed in ask(file, "SELECT id, series FROM layouts")}
    found: dict[str, list[tuple[int, float]]] = {}
    for layout, *packed in ask(file, "SELECT layout, num_steps, steps, times, vals FROM chunks ORDER BY id"):
        columns = unpack(*packed)
        for series, values in zip(layouts[layout], columns.values, strict=True):
            if series in names:
                found.setdefault(names[series], []).extend(
                    zip(columns.steps.tolist(), values.tolist(), strict=True)
                )  # fmt: skip
    for series, step, value in sealed(file):
        if series in names:
            found.setdefault(names[series], []).append((step, value))
    return {name: sorted(pairs) for name, pairs in found.items()}


def sealed(file: Path) -> list[tuple[int, int, float]]:
    segments = [str(file.with_suffix(".segments") / name) for (name,) in ask(file, "SELECT file FROM segments")]
    if not segments:
        return []
    import duckdb

    return duckdb.execute("SELECT series, step, value FROM read_parquet(?)", [segments]).fetchall()
