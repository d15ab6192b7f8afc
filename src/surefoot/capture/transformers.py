"""HF Trainer: what it logs, where `report_to` names no logger that is captured by itself, and its arguments."""

from __future__ import annotations

import dataclasses
from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers


def install(module: Any, listening: Listening) -> None:
    listening.listen_first(module.Trainer, "train", "transformers", _settings)
    listening.listen(module.Trainer, "log", "transformers", _log, unless_captured=True)


def _log(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    values = numbers(argument(args, given, 1, "logs"))
    return Logged(values, args[0].state.global_step) if args[0].is_world_process_zero() else None


def _settings(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    """Those that differ from what they are by default: there are more than a hundred."""
    known = args[0].args
    values = {field: getattr(known, field.name) for field in dataclasses.fields(known) if field.init}
    return Logged(settings={field.name: value for field, value in values.items() if _is_chosen(field.default, value)})


def _is_chosen(default: Any, value: Any) -> bool:
    """What is None at first is filled in by the class itself, with False or with a table."""
    return isinstance(value, str | int | float) and value != default and not (default is None and value is False)
