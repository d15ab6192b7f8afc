"""trackio, whose interface is that of wandb."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers
from surefoot.capture.media import media_in


def install(module: Any, listening: Listening) -> None:
    listening.listen(module.Run, "log", "trackio", _log)
    listening.listen(module.Run, "__init__", "trackio", _config)


def _log(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    step = argument(args, given, 2, "step")
    own = getattr(args[0], "_next_step", None)  # what it will count this call as
    metrics = argument(args, given, 1, "metrics")
    return Logged(numbers(metrics), own if step is None else step, media=media_in(metrics))


def _config(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    config = given.get("config") or {}
    return Logged(settings={name: value for name, value in dict(config).items() if not str(name).startswith("_")})
