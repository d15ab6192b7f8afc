"""For skorch: `NeuralNetClassifier(..., callbacks=[SurefootCallback(stop_on="error")])`."""

from __future__ import annotations

from typing import Any, Unpack

from skorch.callbacks import Callback

from surefoot.capture.logged import numbers
from surefoot.integrations.training_watch import Options, TrainingWatch, warn_at_line

_NOT_LOGGED = ("epoch", "batches", "dur", "train_batch_count", "valid_batch_count")


class SurefootCallback(Callback):
    """Watches `net.fit`. Findings are warnings; the numbers of `net.history` are in the run, by epoch."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self.options = options

    def initialize(self) -> SurefootCallback:
        """Attributes that end in an underscore are no parameters of the net."""
        self.watch_ = TrainingWatch(warn_at_line, self.options)
        return self

    def on_train_begin(self, net: Any, X: Any = None, y: Any = None, **kwargs: Any) -> None:  # noqa: N803
        """Before the first step."""
        self.watch_.start()

    def on_epoch_end(self, net: Any, dataset_train: Any = None, dataset_valid: Any = None, **kwargs: Any) -> None:
        """Losses and scores, but not whether they are the best so far."""
        row = {name: value for name, value in net.history[-1].items() if not isinstance(value, bool)}
        values = {name: value for name, value in numbers(row).items() if name not in _NOT_LOGGED}
        self.watch_.log(values, len(net.history), "skorch")

    def on_train_end(self, net: Any, X: Any = None, y: Any = None, **kwargs: Any) -> None:  # noqa: N803
        """After the last step."""
        self.watch_.stop()
