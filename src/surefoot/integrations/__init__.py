"""Callbacks for training frameworks: watch, log, findings as the framework's warnings, an end at an error.

Each module needs its framework: `lightning`, `transformers` (also for TRL), `accelerate`, `ignite`, `keras`, `skorch`,
`fastai`; `optuna` and `ray` make each trial a run of a group.
"""

from surefoot.integrations.training_watch import SurefootWarning

__all__ = ["SurefootWarning"]
