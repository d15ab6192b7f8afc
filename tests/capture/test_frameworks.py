"""What frameworks hand to their loggers is heard once: from a logger that is heard by itself, or else from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import surefoot as sf
from surefoot.capture import Capture, accelerate, fastai, keras, lightning, tensorboard, transformers
from surefoot.runlog.write.run import Run
from tests.capture.test_capture import Writer, scalars


class Heard:
    def __init__(self, run: Run, capture: Capture) -> None:
        self.run, self.complaints = run, []
        self._capture = capture

    def install(self, ours: Any, **owners: type) -> None:
        module = ModuleType("theirs")
        module.__dict__.update(owners)
        ours.install(module, self._capture._listening)

    @property
    def settings(self) -> dict[str, Any]:
        self.run.flush()
        return {name: setting.value for name, setting in sf.open(self.run.folder.parent)["latest"].settings.items()}


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    capture = Capture(pytest.fail)
    with sf.start_run(tmp_path / "runs") as run:
        yield Heard(run, capture)
    capture.stop()


@dataclass
class Arguments:
    lr: float = 0.1
    seed: int = 42
    debug: Any = None
    columns: list[str] = field(default_factory=list)


class Trainer:
    """As HF's."""

    def __init__(self, args: Arguments, writer: Writer | None = None, *, is_first: bool = True) -> None:
        self.args, self.writer, self._is_first = args, writer, is_first
        self.state = SimpleNamespace(global_step=7)

    def is_world_process_zero(self) -> bool:
        return self._is_first

    def train(self) -> None:
        self.log({"eval_loss": 0.5, "note": "text"})

    def log(self, logs: Mapping[str, Any], start_time: float | None = None) -> None:
        if self.writer is not None:
            self.writer.add_scalar("eval/loss", logs["eval_loss"], 7)


def test_hf_trainer_without_and_with_a_logger(heard: Heard) -> None:
    own = type("SummaryWriter", (Writer,), dict(vars(Writer)))
    heard.install(transformers, Trainer=Trainer)
    heard.install(tensorboard, SummaryWriter=own)
    Trainer(Arguments(lr=0.5, debug=False, columns=["a"])).train()
    Trainer(Arguments(), own()).train()
    Trainer(Arguments(), is_first=False).train()
    assert scalars(heard.run) == {"eval_loss": [(7, 0.5)], "eval/loss": [(7, 0.5)]}
    assert heard.settings == {"lr": 0.5}


class Accelerator:
    def __init__(self, is_main_process: bool = True) -> None:
        self.is_main_process = is_main_process

    def log(self, values: Mapping[str, Any], step: int | None = None, log_kwargs: Any = None) -> None:
        pass

    def init_trackers(self, project_name: str, config: Any = None) -> None:
        pass


def test_accelerate(heard: Heard) -> None:
    heard.install(accelerate, Accelerator=Accelerator)
    Accelerator().init_trackers("mine")
    Accelerator().init_trackers("mine", config={"width": 8})
    Accelerator().log({"acc": 0.5}, step=3)
    Accelerator(is_main_process=False).log({"acc": 0.25}, step=4)
    assert scalars(heard.run) == {"acc": [(3, 0.5)]}
    assert heard.settings == {"width": 8}


class CallbackList:
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        pass


def test_keras(heard: Heard) -> None:
    heard.install(keras, CallbackList=CallbackList)
    CallbackList().on_epoch_end(0)
    CallbackList().on_epoch_end(1, {"val_loss": 0.5, "accuracy": 1})
    assert scalars(heard.run) == {"val_loss": [(1, 0.5)], "accuracy": [(1, 1.0)]}


class Learner:
    """As fastai's: events reach callbacks one by one."""

    def __init__(self) -> None:
        self.epoch = 2
        self.recorder = SimpleNamespace(metric_names=["epoch", "train_loss", "error_rate", "time"], values=[])

    def _call_one(self, event_name: str) -> None:
        if event_name == "after_epoch" and self.epoch:
            self.recorder.values.append([0.5, 0.25])


def test_fastai(heard: Heard) -> None:
    heard.install(fastai, Learner=Learner)
    learner = Learner()
    learner._call_one("before_batch")
    learner._call_one("after_epoch")
    assert scalars(heard.run) == {"train_loss": [(2, 0.5)], "error_rate": [(2, 0.25)]}


class _LoggerConnector:
    """As Lightning's, without any logger."""

    def __init__(self) -> None:
        loops = SimpleNamespace(epoch_loop=SimpleNamespace(_batches_that_stepped=5))
        self.trainer = SimpleNamespace(fit_loop=loops, is_global_zero=True)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        pass


def test_lightning_without_a_logger(heard: Heard) -> None:
    heard.install(lightning, _LoggerConnector=_LoggerConnector)
    connector = _LoggerConnector()
    connector.log_metrics({"acc": 0.5})
    connector.log_metrics({"acc": 0.75, "step": 9.0})
    connector.log_metrics({"acc": 1.0}, 11)
    assert scalars(heard.run) == {"acc": [(5, 0.5), (9, 0.75), (11, 1.0)]}
