"""MLflow: everything that is logged goes through its client, from `mlflow.log_metric` and from Lightning's logger."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.said import Said, argument, is_number


def install(module: Any, listening: Listening) -> None:
    client = module.MlflowClient
    listening.listen(client, "log_metric", "mlflow", _metric)
    listening.listen(client, "log_param", "mlflow", _param)
    listening.listen(client, "log_batch", "mlflow", _batch)


def _metric(args: tuple[Any, ...], given: dict[str, Any]) -> Said | None:
    value = argument(args, given, 3, "value")
    step = argument(args, given, 5, "step", 0) or 0
    return Said({str(argument(args, given, 2, "key")): value}, step) if is_number(value) else None


def _param(args: tuple[Any, ...], given: dict[str, Any]) -> Said:
    return Said(settings={str(argument(args, given, 2, "key")): argument(args, given, 3, "value")})


def _batch(args: tuple[Any, ...], given: dict[str, Any]) -> Said | list[Said]:
    metrics, params = argument(args, given, 2, "metrics", ()), argument(args, given, 3, "params", ())
    by_step: dict[int, dict[str, Any]] = {}
    for metric in metrics or ():
        by_step.setdefault(metric.step or 0, {})[metric.key] = metric.value
    settings = {param.key: param.value for param in params or ()} or None
    return [Said(settings=settings), *(Said(values, step) for step, values in by_step.items())]
