"""`SummaryWriter` of torch and of tensorboardX. Lightning, Accelerate and transformers write to it, too."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.said import Said, argument, is_number, numbers


def install(module: Any, listening: Listening) -> None:
    writer = module.SummaryWriter
    listening.listen(writer, "add_scalar", "tensorboard", _scalar)
    listening.listen(writer, "add_scalars", "tensorboard", _scalars)
    listening.listen(writer, "add_hparams", "tensorboard", _hparams)


def _scalar(args: tuple[Any, ...], given: dict[str, Any]) -> Said | None:
    value = argument(args, given, 2, "scalar_value")
    name = argument(args, given, 1, "tag")
    return Said({str(name): value}, argument(args, given, 3, "global_step", 0) or 0) if is_number(value) else None


def _scalars(args: tuple[Any, ...], given: dict[str, Any]) -> Said:
    lead = argument(args, given, 1, "main_tag")
    values = numbers(argument(args, given, 2, "tag_scalar_dict"))
    step = argument(args, given, 3, "global_step", 0) or 0
    return Said({f"{lead}/{name}": value for name, value in values.items()}, step)


def _hparams(args: tuple[Any, ...], given: dict[str, Any]) -> Said:
    metrics = numbers(argument(args, given, 2, "metric_dict"))
    step = argument(args, given, 5, "global_step", 0) or 0
    return Said(metrics, step, dict(argument(args, given, 1, "hparam_dict") or {}))
