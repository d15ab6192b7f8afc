"""Which runs of other tools lie at a path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from surefoot.runlog.exchange.csv_table import read_table
from surefoot.runlog.exchange.database import is_database, tables_of
from surefoot.runlog.exchange.mlflow_store import TABLES as MLFLOW
from surefoot.runlog.exchange.mlflow_store import is_mlflow_run, mlflow_run, mlflow_runs
from surefoot.runlog.exchange.parquet_table import parquet_runs
from surefoot.runlog.exchange.source import Point, Say, Source, SourceError
from surefoot.runlog.exchange.tensorboard import is_event_file, read_points
from surefoot.runlog.exchange.trackio_store import TABLES as TRACKIO
from surefoot.runlog.exchange.trackio_store import trackio_runs
from surefoot.runlog.exchange.trainer_state import NAME as TRAINER_STATE
from surefoot.runlog.exchange.trainer_state import newest, read_trainer_state, run_name
from surefoot.runlog.exchange.wandb_file import about_wandb, is_wandb_file, read_wandb

KNOWN = "TensorBoard event files, wandb files, stores of MLflow or trackio, trainer_state.json, CSV or Parquet"


def find_sources(path: Path) -> list[Source]:
    """A file is a run, or several; in a folder, so are those below, and the event files of each folder together."""
    if path.is_file():
        return list(_of_file(path, path.parent))
    if not path.is_dir():
        raise SourceError(f"there is no file or folder {path}.")
    found: list[Source] = []
    states: list[Path] = []
    for where, folders, names in os.walk(path):  # which passes over folders that may not be looked into
        folder = Path(where)
        folders.sort()
        if any(name.startswith("rank-") and name.endswith(".db") for name in names):
            folders.clear()  # a run of our own
        elif is_mlflow_run(folder):
            found.append(mlflow_run(folder))
            folders.clear()
        else:
            states += [folder / name for name in names if name == TRAINER_STATE]
            found += _in_folder(path, folder, sorted(set(names) - {TRAINER_STATE}))
    found += [_trainer(file) for file in newest(states)]
    if not found:
        raise SourceError(f"{path} holds none of what can be imported: {KNOWN}.")
    return found


def _in_folder(path: Path, folder: Path, names: Sequence[str]) -> Iterator[Source]:
    files = [folder / name for name in names]
    events = tuple(file for file in files if is_event_file(file))
    if events:
        name = path.name if folder == path else "-".join((path.name, *folder.relative_to(path).parts))
        yield Source(name, events, partial(_events, events))
    for file in files:
        if file not in events and (file.suffix.lower() in (".csv", ".parquet", ".wandb") or is_database(file)):
            yield from _of_file(file, folder, is_asked=False)


def _of_file(file: Path, folder: Path, *, is_asked: bool = True) -> Iterator[Source]:
    if is_event_file(file):
        yield Source(folder.name, (file,), partial(_events, (file,)))
    elif is_wandb_file(file):
        about = partial(about_wandb, file)
        yield Source(about().labels.name or file.stem, (file,), lambda say, step: read_wandb(file, say), about)
    elif file.name == TRAINER_STATE:
        yield _trainer(file)
    elif file.suffix.lower() == ".parquet":
        yield from parquet_runs(file)
    elif is_database(file):
        tables = tables_of(file)
        if tables >= MLFLOW:
            yield from mlflow_runs(file)
        elif tables >= TRACKIO:
            yield from trackio_runs(file)
        elif is_asked:
            raise SourceError(f"{file} is a database of neither MLflow nor trackio.")
    else:
        yield Source(file.stem, (file,), lambda say, step: read_table(file, say, step))


def _trainer(file: Path) -> Source:
    return Source(run_name(file), (file,), lambda say, step: read_trainer_state(file, say))


def _events(files: Sequence[Path], say: Say, step: str | None) -> Iterator[Point]:
    return chain.from_iterable(read_points(file, say) for file in files)
