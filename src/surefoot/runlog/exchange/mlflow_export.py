"""A run in a tracking server or a database of MLflow, by its own client."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from surefoot.runlog.exchange.exporting import EVERYTHING, ROWS, ExportingError
from surefoot.runlog.read.run import Run
from surefoot.runlog.read.summary import Summary, summarize

EXPERIMENT = "surefoot"  # of runs without a group
MOST_METRICS, MOST_OTHERS = 1000, 100  # of one request
LONGEST = 6000  # characters of a parameter
STATUS = {"finished": "FINISHED", "failed": "FAILED", "crashed": "KILLED", "running": "RUNNING"}
_REFUSED = re.compile(r"[^\w\-. :/]")  # in names


def export_mlflow(run: Run, target: str) -> list[str]:
    """A new run at a tracking address, or in a database file; what could not be read is returned."""
    try:
        mlflow: Any = importlib.import_module("mlflow")
    except ImportError:
        raise ExportingError("mlflow is not installed: `pip install mlflow`.") from None
    try:
        client = mlflow.MlflowClient(tracking_uri=target if "://" in target else f"sqlite:///{target}")
        return _export(run, client, mlflow.entities)
    except mlflow.exceptions.MlflowException as error:
        raise ExportingError(f"MLflow refused it: {error}") from None


def _export(run: Run, client: Any, entities: Any) -> list[str]:
    (about,) = summarize([run])
    group = run.labels.group or EXPERIMENT
    experiment = client.get_experiment_by_name(group)
    number = client.create_experiment(group) if experiment is None else experiment.experiment_id
    name = run.labels.name or run.name
    made = client.create_run(
        number, start_time=_milliseconds(about.started), tags=_tags(run), run_name=name
    ).info.run_id
    try:
        params = (entities.Param(_name(key), str(one.value)[:LONGEST]) for key, one in run.settings.items())
        while some := list(islice(params, MOST_OTHERS)):
            client.log_batch(made, params=some)
        problems = _log_metrics(run, client, entities, made)
        client.set_terminated(made, STATUS.get(about.status, "FAILED"), _milliseconds(_end(about)))
    except BaseException:
        client.delete_run(made)  # half of one would be taken for all of it
        raise
    return problems


def _log_metrics(run: Run, client: Any, entities: Any, made: str) -> list[str]:
    answer = run.ask(ROWS, **EVERYTHING)
    metrics: Iterator[Any] = (
        entities.Metric(_name(name if not rank else f"rank-{rank}/{name}"), value, round(time * 1000), step)
        for rank, name, step, time, value in answer
    )
    while some := list(islice(metrics, MOST_METRICS)):
        client.log_batch(made, metrics=some)
    answer.close()
    return answer.problems


def _tags(run: Run) -> dict[str, str]:
    known = {
        "surefoot.run": run.name,
        "mlflow.source.name": run.meta.get("script", ""),
        "mlflow.note.content": run.labels.notes,
        "mlflow.source.git.commit": run.meta.get("git_commit", ""),
    }
    return {**{name: text for name, text in known.items() if text}, **{_name(tag): "" for tag in run.labels.tags}}


def _name(name: str) -> str:
    return _REFUSED.sub("_", name)


def _end(about: Summary) -> datetime | None:
    if about.ended is None and about.started is not None and about.seconds is not None:
        return datetime.fromtimestamp(_seconds(about.started) + about.seconds, UTC)
    return about.ended


def _milliseconds(when: datetime | None) -> int | None:
    return None if when is None else round(_seconds(when) * 1000)


def _seconds(when: datetime) -> float:
    return when.replace(tzinfo=when.tzinfo or UTC).timestamp()
