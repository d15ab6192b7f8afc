"""For fastai: `Learner(..., cbs=[SurefootCallback(stop_on="error")])`."""

from __future__ import annotations

from typing import Unpack

from fastai.callback.core import Callback

from surefoot.integrations.training_watch import Options, TrainingWatch, warn_at_line


class SurefootCallback(Callback):
    """Watches `learn.fit` and the like. Findings are warnings; what the Recorder records is in the run."""

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__()
        self.surefoot = TrainingWatch(warn_at_line, options)

    def before_fit(self) -> None:
        """Before the first step."""
        self.surefoot.start(self.learn.model)

    def after_fit(self) -> None:
        """After the last step, also of a training that was cancelled."""
        self.surefoot.stop()
