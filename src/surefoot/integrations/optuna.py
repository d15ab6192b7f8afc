"""For Optuna: each trial a run of a group, and pruned at a finding.

def objective(trial):
with watched(trial) as watch:
...
return loss
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Unpack

import optuna

from surefoot.integrations.training_watch import Options, TrainingWatch
from surefoot.judge import Finding
from surefoot.runlog.write.current import current_run
from surefoot.sanitizer import FindingError

logger = optuna.logging.get_logger("optuna.surefoot")


@contextmanager
def watched(trial: Any, *models: Any, **options: Unpack[Options]) -> Iterator[TrainingWatch]:
    """Watch the block as one trial. An error found prunes it, before the update; `stop_on` sets another level.

    The run has the parameters that the trial suggested as settings, `trial-3` as its name and the study's as its group.
    """
    options.setdefault("stop_on", "error")
    watch = TrainingWatch(lambda finding: _warn(trial, finding), options)
    watch.start(*models, name=f"trial-{trial.number}", group=trial.study.study_name)
    reason = "raised"
    try:
        yield watch
        reason = "finished"
    except FindingError as error:
        trial.set_user_attr("surefoot", str(error))
        raise optuna.TrialPruned(str(error)) from error
    except optuna.TrialPruned:
        reason = "stopped"
        raise
    finally:
        watch.settings(trial.params, "optuna")
        run = current_run()
        if run is not None:
            trial.set_user_attr("surefoot_run", run.name)
        watch.stop(reason)


def _warn(trial: Any, finding: Finding) -> None:
    logger.warning(f"trial {trial.number}: {finding.severity}[{finding.rule}] {finding.message}. Fix: {finding.fix}")
