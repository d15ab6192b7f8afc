"""For Keras on torch: `model.fit(..., callbacks=[SurefootCallback(stop_on="error")])`."""

from __future__ import annotations

from typing import Any, Unpack

import keras
from torch.nn import Module

from surefoot.integrations.training_watch import Options, TrainingWatch, warn_at_line


class SurefootCallback(keras.callbacks.Callback):
    """Watches `model.fit`. Findings are warnings; the logs that callbacks get at the end of an epoch go to the run."""

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__()
        if keras.backend.backend() != "torch":
            raise RuntimeError(
                f"surefoot watches Keras on torch, and this is Keras on {keras.backend.backend()}. "
                "Set the environment variable KERAS_BACKEND=torch before Keras is imported."
            )
        self.watch = TrainingWatch(warn_at_line, options)

    def on_train_begin(self, logs: Any = None) -> None:
        """Before the first step."""
        self.watch.start(*([self.model] if isinstance(self.model, Module) else []))

    def on_train_end(self, logs: Any = None) -> None:
        """After the last step."""
        self.watch.stop()
