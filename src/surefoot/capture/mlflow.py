"""MLflow: everything that is logged goes through its client, from `mlflow.log_metric` and from Lightning's logger."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, is_number
from surefoot.capture.media import readable
from surefoot.runlog.media.image import Image
from surefoot.runlog.media.table import Table, Text


def install(module: Any, listening: Listening) -> None:
    client = module.MlflowClient
    listening.listen(client, "log_metric", "mlflow", _metric)
    listening.listen(client, "log_param", "mlflow", _param)
    listening.listen(client, "log_batch", "mlflow", _batch)
    listening.listen(client, "log_image", "mlflow", _image)
    listening.listen(client, "log_figure", "mlflow", _figure)
    listening.listen(client, "log_table", "mlflow", _table)
    listening.listen(client, "log_text", "mlflow", _text)


def _metric(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    value = argument(args, given, 3, "value")
    step = argument(args, given, 5, "step", 0) or 0
    return Logged({str(argument(args, given, 2, "key")): value}, step) if is_number(value) else None


def _param(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return Logged(settings={str(argument(args, given, 2, "key")): argument(args, given, 3, "value")})


def _batch(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | list[Logged]:
    metrics, params = argument(args, given, 2, "metrics", ()), argument(args, given, 3, "params", ())
    by_step: dict[int, dict[str, Any]] = {}
    for metric in metrics or ():
        by_step.setdefault(metric.step or 0, {})[metric.key] = metric.value
    settings = {param.key: param.value for param in params or ()} or None
    return [Logged(settings=settings), *(Logged(values, step) for step, values in by_step.items())]


def _image(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    picture = argument(args, given, 2, "image")
    name = argument(args, given, 3, "artifact_file") or argument(args, given, 4, "key") or "image"
    some = readable(Image, picture.to_pil() if hasattr(picture, "to_pil") else picture)
    return Logged(step=argument(args, given, 5, "step"), media={str(name): some})


def _figure(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return _artifact(args, given, readable(Image, argument(args, given, 2, "figure")))


def _table(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return _artifact(args, given, readable(Table, argument(args, given, 2, "data")))


def _text(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return _artifact(args, given, [Text(str(argument(args, given, 2, "text")))])


def _artifact(args: tuple[Any, ...], given: dict[str, Any], some: list[Any]) -> Logged:
    return Logged(media={str(argument(args, given, 3, "artifact_file")): some})
