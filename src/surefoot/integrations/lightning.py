"""For Lightning: `Trainer(callbacks=[SurefootCallback(stop_on="error")])`."""

from __future__ import annotations

from typing import Any, Unpack

try:
    from lightning.pytorch import Callback
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ImportError:
    from pytorch_lightning import Callback
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

from surefoot.integrations.training_watch import Options, TrainingWatch, warn_at_line


class SurefootCallback(Callback):
    """Watches `trainer.fit`. Findings are warnings of the first rank; what modules log is in the run."""

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__()
        self.watch = TrainingWatch(rank_zero_only(warn_at_line), options)

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Before optimizers are made."""
        if stage == "fit":
            self.watch.start(pl_module)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """After the last step, also of one that raised."""
        self.watch.stop()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Whatever ends the training."""
        self.watch.stop("raised")
