"""Descents for the dashboard, whose own process has no torch: requests as lines of JSON on stdin, answers on stdout.

`{"id": 1, "settings": {…}}` is answered by `{"id": 1, "paths": […]}`, by `"fields"` (what is wrong, each by its name),
by `"error"`, or by `"stopped": true` after a newer request or `{"cancel": 1}`. The end of stdin ends it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque
from functools import cache
from typing import Any, TextIO

from surefoot.lab.descent.settings import SettingsError, read_settings

SECONDS = 20.0  # of computing for one request; a busy machine is no reason to give up


class Requests:
    """What was asked, as a thread hears it; and whether it is still wanted."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self._waiting: deque[dict[str, Any]] = deque()
        self._has_some = threading.Semaphore(0)
        self._wanted: int | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def take(self) -> dict[str, Any]:
        self._has_some.acquire()
        return self._waiting.popleft()

    def is_wanted(self, number: int) -> bool:
        return number == self._wanted

    def _listen(self) -> None:
        for line in self._lines:
            request = json.loads(line)
            if "cancel" in request:
                if request["cancel"] == self._wanted:
                    self._wanted = None
                continue
            self._wanted = request["id"]
            self._waiting.append(request)
            self._has_some.release()
        os._exit(0)  # whoever asked is gone, and nothing is left to tell


def answer(requests: Requests, number: int, settings: Any, seconds: float) -> dict[str, Any]:
    if not requests.is_wanted(number):
        return {"stopped": True}
    try:
        wanted = read_settings(settings)
    except SettingsError as error:
        return {"fields": error.fields}
    warm_up()  # brings torch: what is wrong is told without it
    from surefoot.lab.descent.descend import NotWantedError, descend

    end = time.process_time() + seconds
    try:
        paths = [descend(one, lambda: requests.is_wanted(number) and time.process_time() < end) for one in wanted]
    except NotWantedError:
        if requests.is_wanted(number):
            return {"error": f"this takes more than {seconds:g} s. Take fewer updates, or accumulate less."}
        return {"stopped": True}
    return {"paths": [path.as_dict() for path in paths]}


@cache
def warm_up() -> None:
    """What torch loads with the first update is no part of anybody's time."""
    import torch

    from surefoot.lab.descent.descend import descend

    torch.set_num_threads(1)
    for settings in read_settings({"steps": 1, "paths": [{}]}):
        descend(settings)


def main() -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anybody prints is no answer
    requests = Requests(sys.stdin)
    while True:
        request = requests.take()
        try:
            message = answer(requests, request["id"], request.get("settings"), SECONDS)
        except Exception as error:  # torch refuses what the settings allow: said, and the next may be fine
            message = {"error": f"torch has refused this: {type(error).__name__}: {str(error)[:200]}"}
        out.write(json.dumps({"id": request["id"], **message}) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
