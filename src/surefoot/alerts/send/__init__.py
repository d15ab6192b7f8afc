"""Ways to send an alert. An address is a secret: only `shown` may be said or stored."""

from __future__ import annotations

import os

from surefoot.alerts.send.apprise import Apprise
from surefoot.alerts.send.command import Command
from surefoot.alerts.send.destination import Destination, DestinationError, SendError
from surefoot.alerts.send.webhook import Webhook, is_plain

__all__ = ["Destination", "DestinationError", "SendError", "destination"]


def destination(url: str) -> Destination:
    """What an address stands for; refused if it can't be one."""
    if url.startswith("env:"):
        name = url.removeprefix("env:")
        url = os.environ.get(name, "")
        if not url or url.startswith("env:"):
            message = (
                f"the variable {name}" if name.isidentifier() else "what stands after env:"
            )  # an address is a secret
            raise DestinationError(f"{message} holds no address to send alerts to.")
    if url.startswith("cmd:"):
        return Command(url.removeprefix("cmd:"))
    return Webhook(url) if is_plain(url) else Apprise(url)
