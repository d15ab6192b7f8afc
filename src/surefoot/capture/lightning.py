"""Lightning's loggers: its CSVLogger, hyperparameters, and what reaches no logger that is captured by itself."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers


def install(module: Any, listening: Listening) -> None:
    connector = getattr(module, "_LoggerConnector", None)
    if connector is not None:
        listening.listen(connector, "log_metrics", "lightning", _logged, unless_captured=True)
        return
    for name, known in list(vars(module).items()):
        if isinstance(known, type) and known.__module__ == module.__name__:
            if name in ("_ExperimentWriter", "ExperimentWriter"):
                listening.listen(known, "log_metrics", "lightning", _metrics)
            elif name.endswith("Logger"):
                listening.listen(known, "log_hyperparams", "lightning", _hyperparams)


def _metrics(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return Logged(numbers(argument(args, given, 1, "metrics_dict")), argument(args, given, 2, "step") or 0)


def _logged(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    trainer, metrics = args[0].trainer, argument(args, given, 1, "metrics") or {}
    step = argument(args, given, 2, "step")
    if step is None:
        step = metrics.get("step", trainer.fit_loop.epoch_loop._batches_that_stepped)
    values = {name: value for name, value in numbers(metrics).items() if name != "step"}
    return Logged(values, step) if trainer.is_global_zero else None


def _hyperparams(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return Logged(settings=argument(args, given, 1, "params") or {})
