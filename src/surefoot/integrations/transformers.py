"""For HF Trainer and the trainers of TRL: `Trainer(..., callbacks=[SurefootCallback(stop_on="error")])`."""

from __future__ import annotations

from typing import Any, Unpack

from transformers import TrainerCallback
from transformers.utils import logging

from surefoot.integrations.training_watch import Options, TrainingWatch, text_of

logger = logging.get_logger("transformers.surefoot")  # whose warnings transformers shows


class SurefootCallback(TrainerCallback):
    """Watches `trainer.train()`. Findings are warnings of transformers' logger; what the trainer logs is in the run."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self.watch = TrainingWatch(lambda finding: logger.warning(text_of(finding)), options)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The model and its optimizer are there, and nothing has been trained."""
        optimizer = getattr(kwargs.get("optimizer"), "optimizer", kwargs.get("optimizer"))
        self.watch.start(*(each for each in (kwargs.get("model"), optimizer) if each is not None))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """After the last step."""
        self.watch.stop()
