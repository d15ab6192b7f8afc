"""For Ray Tune: each trial a run of a group, and ended at a finding.

def train(config):
with watched(config):
...
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

from ray import tune

from surefoot.integrations.training_watch import Options, TrainingWatch, warn_at_line
from surefoot.sanitizer import FindingError


@contextmanager
def watched(config: Mapping[str, Any], *models: Any, **options: Unpack[Options]) -> Iterator[TrainingWatch]:
    """Watch the block as one trial. An error found ends the block, before the update; `stop_on` sets another level.

    The trial then counts as ended, with what it has reported. The run has the configuration as settings, the trial's
    name and the experiment's as its group, and lies where Tune was started, not in the folder of the trial.
    """
    context = tune.get_context()
    options.setdefault("stop_on", "error")
    options.setdefault("log", str(Path(os.environ.get("TUNE_ORIG_WORKING_DIR") or ".") / "runs"))
    watch = TrainingWatch(warn_at_line, options)
    watch.start(*models, name=context.get_trial_name() or "", group=context.get_experiment_name() or "")
    watch.settings(config, "ray")
    reason = "raised"
    try:
        yield watch
        reason = "finished"
    except FindingError:
        reason = "stopped"  # told as a warning, and in the run
    finally:
        watch.stop(reason)
