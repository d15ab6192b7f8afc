"""MLflow's stores: folders of files (`mlruns`), and a database of SQLite (`mlflow.db`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from surefoot.runlog.exchange.database import opened
from surefoot.runlog.exchange.source import About, Point, Say, Source, labels, typed

TABLES = frozenset(("runs", "experiments", "metrics", "params"))


def is_mlflow_run(folder: Path) -> bool:
    return (folder / "meta.yaml").is_file() and (folder / "metrics").is_dir()


def mlflow_run(folder: Path) -> Source:
    meta = _yaml(folder / "meta.yaml")
    name = meta.get("run_name") or folder.name
    group = _yaml(folder.parent / "meta.yaml").get("name", "")
    params = partial(_params, folder / "params", name, group)
    return Source(name, (folder,), lambda say, step: _files(folder / "metrics", say), params)


def _yaml(file: Path) -> dict[str, str]:
    """The plain lines of `key: value`, of which these files consist."""
    if not file.is_file():
        return {}
    pairs = (line.partition(":") for line in file.read_text(encoding="utf-8", errors="replace").splitlines())
    return {key.strip(): value.strip().strip("'\"") for key, _, value in pairs if key and not key.startswith(" ")}


def _files(folder: Path, say: Say) -> Iterator[Point]:
    """One a metric: lines of milliseconds, value and step."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        with file.open(encoding="utf-8", errors="replace") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    when, value, *step = line.split()
                    yield Point(name, int(step[0]) if step else 0, float(when) / 1000, float(value))
                except ValueError:
                    say(f"{file}, line {number} is no value of a metric: it is left out.")


def _params(folder: Path, name: str, group: str) -> About:
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    settings = {f.relative_to(folder).as_posix(): typed(f.read_text(encoding="utf-8").strip()) for f in files}
    return About(settings, labels(name, group))


def mlflow_runs(file: Path) -> list[Source]:
    with opened(file) as connection:
        rows = connection.execute(
            "SELECT run_uuid, runs.name, experiments.name FROM runs JOIN experiments USING (experiment_id) "
            "WHERE runs.lifecycle_stage = 'active' ORDER BY start_time"
        ).fetchall()
    return [
        Source(name or key, (file,), partial(_rows, file, key), partial(_settings, file, key, name or key, group))
        for key, name, group in rows
    ]


def _rows(file: Path, run: str, say: Say, step: str | None) -> Iterator[Point]:
    with opened(file) as connection:
        query = "SELECT key, step, timestamp, value, is_nan FROM metrics WHERE run_uuid = ? ORDER BY 1, 2, 3"
        for name, at, when, value, is_nan in connection.execute(query, (run,)):
            yield Point(name, at, when / 1000, float("nan") if is_nan else value)


def _settings(file: Path, run: str, name: str, group: str) -> About:
    with opened(file) as connection:
        rows = connection.execute("SELECT key, value FROM params WHERE run_uuid = ?", (run,)).fetchall()
    return About({key: typed(value) for key, value in rows}, labels(name, group))
