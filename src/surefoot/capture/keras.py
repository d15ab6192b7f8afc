"""Keras: what its callbacks are told at the end of an epoch, where none of them hands it to a logger that is heard."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.said import Said, argument, numbers


def install(module: Any, listening: Listening) -> None:
    listening.listen(module.CallbackList, "on_epoch_end", "keras", _epoch, unless_heard=True)


def _epoch(args: tuple[Any, ...], given: dict[str, Any]) -> Said:
    return Said(numbers(argument(args, given, 2, "logs")), argument(args, given, 1, "epoch"))
