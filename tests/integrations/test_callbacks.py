"""Callbacks watch, log, warn and end a training, in stand-ins that call them as the frameworks document it."""

import importlib
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.integrations import SurefootWarning
from surefoot.integrations.training_watch import TrainingWatch, text_of, warn_at_line
from surefoot.sanitizer.sanitizer import Sanitizer

Warned = Callable[[str, dict[str, Any]], Any]


class Empty:
    """A base class of a callback, which takes anything."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    yield
    assert Sanitizer.running is None, "what a callback began it has ended"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Warned:
    """Import a module of ours with small modules in place of its framework's."""

    def load(name: str, theirs: dict[str, Any]) -> Any:
        for module, names in theirs.items():
            made = ModuleType(module)
            made.__dict__.update(names)
            monkeypatch.setitem(sys.modules, module, made)
        monkeypatch.delitem(sys.modules, f"surefoot.integrations.{name}", raising=False)
        return importlib.import_module(f"surefoot.integrations.{name}")

    return load


def train(updates: int = 4, model: nn.Module | None = None) -> None:
    """Forgets to clear gradients."""
    model = model or nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(updates):
        model(torch.ones(2, 3)).square().mean().backward()
        optimizer.step()


def logged() -> Any:
    return sf.open("runs")["latest"]


def test_lightning(load: Warned) -> None:
    ours = load("lightning", {
        "lightning": {}, "lightning.pytorch": {"Callback": Empty}, "lightning.pytorch.utilities": {},
        "lightning.pytorch.utilities.rank_zero": {"rank_zero_only": lambda call: call},
    })  # fmt: skip
    callback = ours.SurefootCallback()
    callback.setup(None, nn.Linear(1, 1), "validate")
    assert not callback.watch.is_on
    callback.setup(None, nn.Linear(1, 1), "fit")
    with pytest.warns(SurefootWarning, match=r"error\[stale-gradients\]") as told:
        train()
    callback.teardown(None, None, "fit")
    assert told[0].filename == __file__
    assert [finding.rule for finding in callback.watch.findings] == ["stale-gradients"]
    assert len(logged().scalars("loss").values) == 4
    callback = ours.SurefootCallback(stop_on="error")
    callback.setup(None, nn.Linear(1, 1), "fit")
    with pytest.raises(sf.FindingError), pytest.warns(SurefootWarning):
        train()
    callback.on_exception(None, None, RuntimeError())
    callback.teardown(None, None, "fit")
    assert sorted(run.meta["reason"] for run in sf.open("runs")) == ["finished", "raised"]


def test_transformers(load: Warned, caplog: pytest.LogCaptureFixture) -> None:
    ours = load("transformers", {
        "transformers": {"TrainerCallback": Empty},
        "transformers.utils": {"logging": SimpleNamespace(get_logger=logging.getLogger)},
    })  # fmt: skip
    callback = ours.SurefootCallback(log=None)
    model = nn.Linear(3, 1)
    wrapped = SimpleNamespace(optimizer=torch.optim.SGD(model.parameters(), 0.1))
    callback.on_train_begin(None, None, None, model=model, optimizer=wrapped)
    train()
    callback.on_train_end(None, None, None)
    assert "error[stale-gradients] at" in caplog.text
    assert not Path("runs").exists()


def test_accelerate(load: Warned, caplog: pytest.LogCaptureFixture) -> None:
    class Adapter(logging.LoggerAdapter):  # type: ignore[type-arg]
        def process(self, msg: Any, kwargs: Any) -> Any:
            kwargs.pop("main_process_only")
            return msg, kwargs

    ours = load("accelerate", {
        "accelerate": {}, "accelerate.logging": {"get_logger": lambda name: Adapter(logging.getLogger(name), {})},
        "accelerate.tracking": {"GeneralTracker": Empty},
    })  # fmt: skip
    tracker = ours.SurefootTracker()
    tracker.start()
    tracker.store_init_configuration({"lr": 0.1})
    assert tracker.tracker.name.endswith(tracker.tracker.name[-6:])
    train()
    tracker.log({"acc": 1}, step=1)
    tracker.finish()
    assert "stale-gradients" in caplog.text
    assert tracker.tracker is None


class Events:
    STARTED, EPOCH_COMPLETED, COMPLETED = "started", "epoch", "completed"


class Engine:
    """As Ignite's."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(metrics={}, iteration=0)
        self.logger = logging.getLogger("engine")
        self._handlers: list[tuple[str, Any, Any]] = []

    def add_event_handler(self, event: str, handler: Any, *args: Any) -> None:
        self._handlers.append((event, handler, args))

    def fire(self, event: str) -> None:
        for known, handler, args in self._handlers:
            if known == event:
                handler(self, *args)


def test_ignite(load: Warned, caplog: pytest.LogCaptureFixture) -> None:
    ours = load("ignite", {"ignite": {}, "ignite.engine": {"Engine": Engine, "Events": Events}})
    trainer, evaluator = Engine(), Engine()
    ours.SurefootHandler().attach(trainer, val=evaluator)
    trainer.fire(Events.STARTED)
    train()
    trainer.state.iteration, evaluator.state.metrics = 4, {"acc": 0.5, "table": object()}
    trainer.fire(Events.EPOCH_COMPLETED)
    evaluator.fire(Events.COMPLETED)
    trainer.fire(Events.COMPLETED)
    assert "stale-gradients" in caplog.text
    series = logged().scalars("val/acc")
    assert (list(series.steps), list(series.values)) == ([4], [0.5])


def test_keras(load: Warned) -> None:
    backend = SimpleNamespace(backend=lambda: "jax")
    ours = load("keras", {"keras": {"callbacks": SimpleNamespace(Callback=Empty), "backend": backend}})
    with pytest.raises(RuntimeError, match="KERAS_BACKEND=torch"):
        ours.SurefootCallback()
    backend.backend = lambda: "torch"
    callback = ours.SurefootCallback(ignore="stale-gradients")
    callback.model = None
    callback.on_train_begin()
    train()
    callback.on_train_end()
    assert callback.watch.findings == []


def test_skorch(load: Warned) -> None:
    ours = load("skorch", {"skorch": {}, "skorch.callbacks": {"Callback": Empty}})
    callback = ours.SurefootCallback().initialize()
    history: list[dict[str, Any]] = [{}, {"valid_acc": 0.5, "valid_acc_best": True, "dur": 1.0, "epoch": 2}]
    net = SimpleNamespace(history=history)
    callback.on_train_begin(net)
    with pytest.warns(SurefootWarning):
        train()
    callback.on_epoch_end(net)
    callback.on_train_end(net)
    assert list(logged().scalars("valid_acc").steps) == [2]
    with pytest.raises(KeyError, match="no series 'dur'"):
        logged().scalars("dur")


def test_fastai(load: Warned) -> None:
    ours = load("fastai", {"fastai": {}, "fastai.callback": {}, "fastai.callback.core": {"Callback": Empty}})
    callback = ours.SurefootCallback()
    callback.learn = SimpleNamespace(model=nn.Linear(3, 1))
    callback.before_fit()
    with pytest.warns(SurefootWarning):
        train(model=callback.learn.model)
    callback.after_fit()
    assert logged().meta["reason"] == "finished"


def test_a_watch_of_the_programs_own_tells_findings_and_the_callback_may_end_it() -> None:
    told: list[str] = []
    with sf.watch(on_finding=lambda finding: told.append(finding.rule)):
        inner = TrainingWatch(warn_at_line, {"stop_on": "error", "log": None})
        inner.start()
        inner.start()
        with pytest.raises(sf.FindingError):
            train()
        inner.stop()
        inner.stop()
    assert told == ["stale-gradients"]
    assert [finding.rule for finding in inner.findings] == ["stale-gradients"]


def test_warnings_that_are_errors_do_not_switch_the_watch_off(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(finding: sf.Finding) -> None:
        raise SurefootWarning(text_of(finding))

    watch = TrainingWatch(refuse, {"log": None})
    watch.start()
    watch.settings({"lr": 0.1}, "test")
    watch.log({"acc": 1}, 1, "test")
    train()
    watch.stop()
    assert "surefoot: error[stale-gradients] at" in capsys.readouterr().err
    assert watch.findings[0].count == 3


class TrialPruned(Exception):  # noqa: N818 - Optuna's name
    """A trial that is given up."""


def test_optuna(load: Warned, caplog: pytest.LogCaptureFixture) -> None:
    ours = load("optuna", {
        "optuna": {"logging": SimpleNamespace(get_logger=logging.getLogger), "TrialPruned": TrialPruned},
    })  # fmt: skip
    attributes: dict[str, str] = {}
    trial = SimpleNamespace(
        number=3, params={"lr": 0.1}, study=SimpleNamespace(study_name="rates"), set_user_attr=attributes.__setitem__
    )
    with pytest.raises(TrialPruned, match="stale-gradients"), ours.watched(trial):
        train()
    run = logged()
    assert (run.labels.name, run.labels.group, run.settings["lr"].value) == ("trial-3", "rates", 0.1)
    assert attributes["surefoot_run"] == run.name
    assert "trial 3: error[stale-gradients]" in caplog.text
    with pytest.raises(TrialPruned), ours.watched(trial):
        raise TrialPruned
    with ours.watched(trial, stop_on=None) as watch:
        train()
    assert watch.findings[0].count == 3


def test_ray(load: Warned, monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(get_trial_name=lambda: "train_1", get_experiment_name=lambda: "rates")
    ours = load("ray", {"ray": {"tune": SimpleNamespace(get_context=lambda: context)}})
    monkeypatch.setenv("TUNE_ORIG_WORKING_DIR", str(Path.cwd() / "started"))
    with pytest.warns(SurefootWarning), ours.watched({"lr": 0.1}):
        train()
    run = sf.open("started/runs")["latest"]
    assert (run.labels.name, run.labels.group, run.settings["lr"].value) == ("train_1", "rates", 0.1)
    assert run.meta["reason"] == "stopped"
    with pytest.raises(KeyError), ours.watched({}):
        raise KeyError
