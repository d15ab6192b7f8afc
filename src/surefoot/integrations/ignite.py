"""For Ignite: `SurefootHandler(stop_on="error").attach(trainer, val=evaluator)`."""

from __future__ import annotations

from typing import Unpack

from ignite.engine import Engine, Events

from surefoot.capture.logged import numbers
from surefoot.integrations.training_watch import Options, TrainingWatch, text_of


class SurefootHandler:
    """Watches runs of an engine. Findings are warnings of its logger; metrics of engines are in the run."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self.watch = TrainingWatch(lambda finding: self._engine.logger.warning(text_of(finding)), options)

    def attach(self, trainer: Engine, **evaluators: Engine) -> None:
        """Metrics of the evaluators are logged under the names that they are given here, as `val/accuracy`."""
        self._engine = trainer
        trainer.add_event_handler(Events.STARTED, lambda engine: self.watch.start())
        trainer.add_event_handler(Events.EPOCH_COMPLETED, self._log, "train")
        trainer.add_event_handler(Events.COMPLETED, lambda engine: self.watch.stop())
        for name, evaluator in evaluators.items():
            evaluator.add_event_handler(Events.COMPLETED, self._log, name)

    def _log(self, engine: Engine, name: str) -> None:
        values = {f"{name}/{key}": value for key, value in numbers(engine.state.metrics).items()}
        self.watch.log(values, self._engine.state.iteration, "ignite")
