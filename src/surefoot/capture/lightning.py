"""Lightning's CSVLogger, and hyperparameters that its loggers are given. Others go through their packages."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.said import Said, argument, numbers


def install(module: Any, listening: Listening) -> None:
    for name, known in list(vars(module).items()):
        if isinstance(known, type) and known.__module__ == module.__name__:
            if name in ("_ExperimentWriter", "ExperimentWriter"):
                listening.listen(known, "log_metrics", "lightning", _metrics)
            elif name.endswith("Logger"):
                listening.listen(known, "log_hyperparams", "lightning", _hyperparams)


def _metrics(args: tuple[Any, ...], given: dict[str, Any]) -> Said:
    return Said(numbers(argument(args, given, 1, "metrics_dict")), argument(args, given, 2, "step") or 0)


def _hyperparams(args: tuple[Any, ...], given: dict[str, Any]) -> Said:
    return Said(settings=argument(args, given, 1, "params") or {})
