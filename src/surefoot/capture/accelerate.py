"""Accelerate: what it hands to its trackers, where none of them is heard by itself."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.said import Said, argument, numbers


def install(module: Any, listening: Listening) -> None:
    listening.listen(module.Accelerator, "log", "accelerate", _log, unless_heard=True)
    listening.listen(module.Accelerator, "init_trackers", "accelerate", _config)


def _log(args: tuple[Any, ...], given: dict[str, Any]) -> Said | None:
    values = numbers(argument(args, given, 1, "values"))
    return Said(values, argument(args, given, 2, "step")) if args[0].is_main_process else None


def _config(args: tuple[Any, ...], given: dict[str, Any]) -> Said | None:
    config = argument(args, given, 2, "config")
    return None if config is None else Said(settings=config)
