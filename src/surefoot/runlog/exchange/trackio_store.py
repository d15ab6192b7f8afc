"""trackio's databases, one for each project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from surefoot.runlog.exchange.database import opened
from surefoot.runlog.exchange.source import About, Point, Say, Source, labels, numbers

TABLES = frozenset(("metrics", "configs"))


def trackio_runs(file: Path) -> list[Source]:
    with opened(file) as connection:
        names = [name for (name,) in connection.execute("SELECT DISTINCT run_name FROM metrics ORDER BY run_name")]
    return [Source(name, (file,), partial(_rows, file, name), partial(_config, file, name)) for name in names]


def _rows(file: Path, run: str, say: Say, step: str | None) -> Iterator[Point]:
    with opened(file) as connection:
        query = "SELECT step, timestamp, metrics FROM metrics WHERE run_name = ? ORDER BY step, id"
        for at, when, text in connection.execute(query, (run,)):
            for name, value in numbers(_json(text)):
                yield Point(name, at, _seconds(when), value)


def _config(file: Path, run: str) -> About:
    with opened(file) as connection:
        rows = connection.execute("SELECT config FROM configs WHERE run_name = ?", (run,)).fetchall()
    config = {key: value for (text,) in rows for key, value in _json(text).items()}
    own = {key: value for key, value in config.items() if not key.startswith("_")}
    return About(own, labels(run, str(config.get("_Group") or file.stem)))


def _json(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _seconds(when: str) -> float:
    try:
        return datetime.fromisoformat(when).timestamp()
    except ValueError:
        return 0.0
