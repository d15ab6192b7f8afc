"""Somewhere alerts go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SEND_SECONDS = 10.0  # for one attempt


class DestinationError(ValueError):
    """An address that alerts can't be sent to, and why."""


class SendError(Exception):
    """It did not arrive. `may_pass`: it may be worth another attempt."""

    def __init__(self, why: str, *, may_pass: bool = True) -> None:
        super().__init__(why)
        self.may_pass = may_pass


class Destination:
    """`shown` is what may be said of it: no password, no token, nothing of a path."""

    shown = ""

    def check(self) -> None:
        """Look at the start whether it could work, without sending anything."""

    def send(self, payload: Mapping[str, Any]) -> None:
        """Send it now, or raise SendError."""
        raise NotImplementedError
