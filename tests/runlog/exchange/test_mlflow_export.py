"""Runs go to MLflow whole, in requests of the size that it takes, or not at all. The client is written by hand."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import surefoot as sf
from surefoot.runlog.exchange.exporting import ExportingError
from surefoot.runlog.exchange.mlflow_export import MOST_METRICS, MOST_OTHERS, export_mlflow
from surefoot.runlog.read.run import Run


class MlflowError(Exception):
    pass


class Client:
    made: "Client"
    fails = False

    def __init__(self, tracking_uri: str) -> None:
        self.address = tracking_uri
        self.metrics: list[Any] = []
        self.params: list[Any] = []
        self.run: dict[str, Any] = {}
        self.ended: tuple[Any, ...] = ()
        self.deleted: list[str] = []
        Client.made = self

    def get_experiment_by_name(self, name: str) -> Any:
        return SimpleNamespace(experiment_id="7") if name == "known" else None

    def create_experiment(self, name: str) -> str:
        return f"new {name}"

    def create_run(self, experiment: str, **given: Any) -> Any:
        self.run = {"experiment": experiment, **given}
        return SimpleNamespace(info=SimpleNamespace(run_id="id"))

    def log_batch(self, run: str, metrics: Any = (), params: Any = ()) -> None:
        assert len(metrics) <= MOST_METRICS
        assert len(params) <= MOST_OTHERS
        if self.fails and metrics:
            raise MlflowError("the server is gone")
        self.metrics += metrics
        self.params += params

    def set_terminated(self, *ended: Any) -> None:
        self.ended = ended

    def delete_run(self, run: str) -> None:
        self.deleted.append(run)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = ModuleType("mlflow")
    module.MlflowClient = type("MlflowClient", (Client,), {})
    module.entities = SimpleNamespace(Metric=lambda *fields: fields, Param=lambda *fields: fields)
    module.exceptions = SimpleNamespace(MlflowException=MlflowError)
    monkeypatch.setitem(sys.modules, "mlflow", module)
    return module.MlflowClient


@pytest.fixture
def run(tmp_path: Path) -> Run:
    config = {"lr": 0.1, **{f"s{i}": i for i in range(MOST_OTHERS + 20)}}
    labels: Any = {"config": config, "group": "known", "tags": ["baseline"], "notes": "a note"}
    with sf.start_run(tmp_path / "runs", name="train", **labels) as written:
        for step in range(MOST_METRICS + 5):
            sf.log({"loss": float(step), "head[0]": 1.0}, step=step)
    return sf.open(tmp_path / "runs")[written.name]


def test_everything_goes_there_once(run: Run, client: Any) -> None:
    assert export_mlflow(run, "http://127.0.0.1:5000") == []
    made = Client.made
    assert made.address == "http://127.0.0.1:5000"
    assert made.run["experiment"] == "7"
    assert made.run["run_name"] == "train"
    assert made.run["tags"]["baseline"] == ""
    assert made.run["tags"]["mlflow.note.content"] == "a note"
    assert ("lr", "0.1") in made.params
    assert len(set(made.params)) == MOST_OTHERS + 21
    assert sorted((name, step) for name, _, _, step in made.metrics) == sorted(
        (name, step) for step in range(MOST_METRICS + 5) for name in ("loss", "head_0_")
    )
    assert made.ended[:2] == ("id", "FINISHED")
    assert made.ended[2] >= made.run["start_time"]
    assert made.deleted == []


def test_a_path_is_a_database(run: Run, client: Any) -> None:
    export_mlflow(run, "out/mlflow.db")
    assert Client.made.address == "sqlite:///out/mlflow.db"


def test_half_a_run_is_taken_back(run: Run, client: Any) -> None:
    client.fails = True
    with pytest.raises(ExportingError, match="the server is gone"):
        export_mlflow(run, "http://127.0.0.1:5000")
    assert Client.made.deleted == ["id"]
    assert Client.made.ended == ()


def test_without_mlflow(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ExportingError, match="pip install mlflow"):
        export_mlflow(run, "mlflow.db")
