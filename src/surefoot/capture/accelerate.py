"""Accelerate: what it hands to its trackers, where none of them is captured by itself."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers


def install(module: Any, listening: Listening) -> None:
    listening.listen(module.Accelerator, "log", "accelerate", _log, unless_captured=True)
    listening.listen(module.Accelerator, "init_trackers", "accelerate", _config)


def _log(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    values = numbers(argument(args, given, 1, "values"))
    return Logged(values, argument(args, given, 2, "step")) if args[0].is_main_process else None


def _config(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    config = argument(args, given, 2, "config")
    return None if config is None else Logged(settings=config)
