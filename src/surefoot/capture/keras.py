"""Keras: the logs that its callbacks get at the end of an epoch, where none passes them to a captured logger."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers


def install(module: Any, listening: Listening) -> None:
    listening.listen(module.CallbackList, "on_epoch_end", "keras", _epoch, unless_captured=True)


def _epoch(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return Logged(numbers(argument(args, given, 2, "logs")), argument(args, given, 1, "epoch"))
