"""For Accelerate: `Accelerator(log_with=SurefootTracker())`, alone or in a list with other trackers."""

from __future__ import annotations

from typing import Any, Unpack

from accelerate.logging import get_logger
from accelerate.tracking import GeneralTracker

from surefoot.integrations.training_watch import Options, TrainingWatch, text_of
from surefoot.judge import Finding
from surefoot.runlog.write.current import current_run

logger = get_logger("surefoot")


class SurefootTracker(GeneralTracker):
    """Watches from when it is made to `accelerator.end_training()`. Findings are warnings of accelerate's logger.

    `accelerator.log` and the `config` of `init_trackers` are in the run, as with any tracker under `surefoot run`.
    """

    name = "surefoot"
    requires_logging_directory = False
    main_process_only = False

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__()
        self.watch = TrainingWatch(_warn, options)
        self.watch.start()

    @property
    def tracker(self) -> Any:
        """The run."""
        return current_run()

    def start(self) -> None:
        """Called by `init_trackers`."""
        self.watch.start()

    def store_init_configuration(self, values: dict[str, Any]) -> None:
        """It is heard where it was given."""

    def log(self, values: dict[str, Any], step: int | None = None, **kwargs: Any) -> None:
        """It is heard where it was given."""

    def finish(self) -> None:
        """Called by `end_training`."""
        self.watch.stop()


def _warn(finding: Finding) -> None:
    logger.warning(text_of(finding), main_process_only=False)
