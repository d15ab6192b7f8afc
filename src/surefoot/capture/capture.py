"""Listens to loggers and argument parsers that the program imports, and writes what they receive to the run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, whole
from surefoot.capture.own import own_name
from surefoot.launch.hook.surefoot_import import when_any_imported
from surefoot.runlog.setting import SEEN, flat
from surefoot.runlog.write.current import current_run
from surefoot.runlog.write.run import Run

# By module of theirs, the module of ours that listens to it. Nothing of both is imported before the program does.
_COMMAND_LINES = ("argparse", "click.core", "typer._click.core", "hydra.core.hydra_config", "omegaconf.omegaconf")
_LIGHTNING = tuple(
    f"{package}.loggers.{kind}"
    for package in ("lightning.fabric", "lightning_fabric", "lightning.pytorch", "pytorch_lightning")
    for kind in ("csv_logs", "tensorboard")
)
_CONNECTOR = "trainer.connectors.logger_connector.logger_connector"
LISTENERS = {
    **dict.fromkeys(_COMMAND_LINES, "command_line"),
    **dict.fromkeys(("torch.utils.tensorboard.writer", "tensorboardX.writer"), "tensorboard"),
    **dict.fromkeys(_LIGHTNING, "lightning"),
    **dict.fromkeys((f"lightning.pytorch.{_CONNECTOR}", f"pytorch_lightning.{_CONNECTOR}"), "lightning"),
    "accelerate.accelerator": "accelerate",
    "fastai.learner": "fastai",
    "keras.src.callbacks.callback_list": "keras",
    "mlflow.tracking.client": "mlflow",
    "trackio.run": "trackio",
    "transformers.trainer": "transformers",
    "wandb": "wandb",
}
MOST_FAILURES = 3  # of a source, then it is no longer captured


class Capture:
    """From `start()` to `stop()`. A source that fails again and again is left alone; the program never notices."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._num_failures: dict[str, int] = {}
        self._listening = Listening(self._on_logged, self._failed)
        self._forget: Callable[[], None] = lambda: None

    def start(self) -> None:
        self._forget = when_any_imported({name: partial(self._install, name) for name in LISTENERS})

    def stop(self) -> None:
        self._forget()
        self._listening.stop()

    def _install(self, name: str) -> None:
        try:
            ours: Any = importlib.import_module(f"surefoot.capture.{LISTENERS[name]}")
            ours.install(sys.modules[name], self._listening)
        except Exception as error:
            self._failed(name, error)

    def _on_logged(self, source: str, logged: Logged) -> None:
        run = current_run()
        if run is None or self._num_failures.get(source, 0) >= MOST_FAILURES:
            return
        if logged.settings:
            values = flat(logged.settings)
            run.settings({name: value for name, value in values.items() if not name.startswith(SEEN)}, source)
        if logged.scalars or logged.media:
            self._log(run, source, logged)

    def _log(self, run: Run, source: str, logged: Logged) -> None:
        values = {**logged.scalars, **{name: some for name, some in logged.media.items() if some}}
        if run.has_own_series or run.num_loops:
            values = {own_name(name, source): value for name, value in values.items()}
        step = whole(logged.step)
        if step is not None or logged.step is None:
            run.log(values, step)

    def _failed(self, source: str, error: Exception) -> None:
        number = self._num_failures[source] = self._num_failures.get(source, 0) + 1
        if number == MOST_FAILURES:
            self._say(f"values passed to {source} are no longer logged. {type(error).__name__}: {error}")
