"""Read what a peer has kept, by what it offers itself; each time in a fork, for readers keep things in mind.

wandb has no reader of its own for offline runs: ours takes the records in order, without checking them.
"""

import os
import pickle
import signal
import sqlite3
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.log.peers.writers import NAMES
from benchmarks.log.survivors import _wandb_records

Rows = dict[tuple[str, int], float]
MOST_SECONDS = 30


@dataclass(frozen=True)
class Found:
    """`error` is what was raised, or how the process died; `said` what it wrote to the console."""

    rows: Rows
    error: str = ""
    said: str = ""


def surefoot(folder: Path) -> Rows:
    import surefoot as sf

    rows: Rows = {}
    for run in sf.open(folder):
        for name in NAMES:
            try:
                column = run.scalars(name)
            except KeyError as error:
                print(error)
                continue
            rows |= {
                (name, step): value for step, value in zip(column.steps.tolist(), column.values.tolist(), strict=True)
            }
    return rows


def sqlite(folder: Path) -> Rows:
    with closing(sqlite3.connect(folder / "log.db")) as connection:
        return {(name, step): value for step, name, value in connection.execute("SELECT * FROM metrics")}


def tensorboard(folder: Path) -> Rows:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    return {(tag, event.step): event.value for tag in events.Tags()["scalars"] for event in events.Scalars(tag)}


def wandb(folder: Path) -> Rows:
    from wandb.proto import wandb_internal_pb2

    rows: Rows = {}
    for file in folder.rglob("*.wandb"):
        for data in _wandb_records(file.read_bytes()):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            if record.WhichOneof("record_type") == "history":
                for item in record.history.item:
                    name = item.key or item.nested_key[0]
                    if not name.startswith("_"):
                        rows[name, record.history.step.num] = float(item.value_json)
    return rows


def mlflow(folder: Path) -> Rows:
    import mlflow

    client = mlflow.MlflowClient(f"sqlite:///{folder}/mlflow.db")
    rows: Rows = {}
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            for name in run.data.metrics:
                rows |= {(name, one.step): one.value for one in client.get_metric_history(run.info.run_id, name)}
    return rows


def aim(folder: Path) -> Rows:
    """By taking the run up again: read-only, version 3.29 finds no metrics, also in runs that were closed."""
    import aim

    rows: Rows = {}
    for name in aim.Repo(str(folder)).list_all_runs():
        run = aim.Run(
            name, repo=str(folder), force_resume=True, system_tracking_interval=None, log_system_params=False,
            capture_terminal_logs=False,
        )  # fmt: skip
        for metric, context, _ in run.iter_metrics_info():
            steps, (values, *_) = run.get_metric(metric, context).data.items_list()
            rows |= {(metric, int(step)): float(value) for step, value in zip(steps, values, strict=True)}
    return rows


READERS: dict[str, tuple[Callable[[Path], Rows], str]] = {
    "surefoot": (surefoot, "surefoot"), "SQLite": (sqlite, "sqlite3"),
    "TensorBoard": (tensorboard, "tensorboard.backend.event_processing.event_accumulator"),
    "wandb offline": (wandb, "wandb.proto.wandb_internal_pb2"), "MLflow": (mlflow, "mlflow"), "Aim": (aim, "aim"),
}  # fmt: skip


def read(peer: str, folder: Path) -> Found:
    reader, module = READERS[peer]
    import_module(module)  # once, before the fork
    with tempfile.TemporaryDirectory() as told:
        answer, console = Path(told, "answer"), Path(told, "console")
        child = os.fork()
        if not child:
            _answer(reader, folder, answer, console)
        _, status = os.waitpid(child, 0)
        said = console.read_text(encoding="utf-8", errors="replace") if console.exists() else ""
        if status or not answer.exists():
            return Found({}, f"the process ended with {signal.Signals(status & 127).name if status & 127 else status}")
        rows, error = pickle.loads(answer.read_bytes())
        return Found(rows, error, said)


def _answer(reader: Callable[[Path], Rows], folder: Path, answer: Path, console: Path) -> None:
    signal.alarm(MOST_SECONDS)
    stream = os.open(console, os.O_CREAT | os.O_WRONLY)
    os.dup2(stream, 1)
    os.dup2(stream, 2)
    warnings.filterwarnings("default", category=UserWarning)  # as people see them
    try:
        told: tuple[Rows, str] = (reader(folder), "")
    except BaseException:
        told = ({}, traceback.format_exc())
    answer.write_bytes(pickle.dumps(told))
    sys.stdout.flush()
    os._exit(0)
