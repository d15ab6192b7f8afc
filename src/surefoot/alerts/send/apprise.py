"""Chat, mail and a hundred services more, through apprise, where it is installed.

It runs in a process of its own: whatever it imports, draws or waits for is no part of the training program.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from typing import Any

from surefoot.alerts.send.command import run_with
from surefoot.alerts.send.destination import Destination, DestinationError, SendError

# The address comes on stdin: a command line can be read by everybody on the machine.
PROGRAM = """\
import json, logging, sys
import apprise
logging.disable(logging.CRITICAL)
given = json.load(sys.stdin)
service = apprise.Apprise()
if not service.add(given["url"]):
    sys.exit(3)
if "title" in given and not service.notify(body=given["body"], title=given["title"], notify_type=given["type"]):
    sys.exit(4)
"""


class Apprise(Destination):
    def __init__(self, url: str) -> None:
        scheme, found, _ = url.partition("://")
        if not found:
            raise DestinationError(
                "an alert goes to an address, such as jsons://example.org/hook, slack://… or cmd:COMMAND; "
                "what was given is none."
            )
        self._url = url
        self._scheme = scheme
        self.shown = f"{scheme}://…"

    def check(self) -> None:
        if importlib.util.find_spec("apprise") is None:
            raise DestinationError(
                f"{self.shown} is sent through apprise, which is not installed: pip install 'surefoot[alerts]'. "
                "Plain json://, jsons:// and cmd: need nothing."
            )
        try:
            self._run({})
        except SendError:
            hint = ""
            if self._scheme in ("http", "https"):
                hint = f" A JSON webhook is written json{'s' * (self._scheme == 'https')}://…"
            raise DestinationError(f"apprise does not know what to do with {self.shown}.{hint}") from None

    def send(self, payload: Mapping[str, Any]) -> None:
        self._run({"title": payload["title"], "body": payload["message"], "type": payload["type"]})

    def _run(self, what: Mapping[str, Any]) -> None:
        try:
            run_with([sys.executable, "-c", PROGRAM], json.dumps({"url": self._url, **what}), tells=False)
        except SendError as error:
            if str(error).endswith("status 4"):
                raise SendError("the service did not take it") from None
            raise
