"""What takes a while to load is loaded after the server has started: by a thread, or by the first who needs it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.dashboard.data.shelf import Shelf
    from surefoot.dashboard.server.reply import Params

HOME = "surefoot.dashboard.server.api"
FIRST = ("duckdb", "surefoot.report.convergence", f"{HOME}.runs", f"{HOME}.series", "surefoot.dashboard.data.news")


class Late:
    """The shelf of the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._shelf: Shelf | None = None

    def shelf(self) -> Shelf:
        with self._lock:
            if self._shelf is None:
                from surefoot.dashboard.data.shelf import Shelf

                self._shelf = Shelf(self.folder)
            return self._shelf


def late(name: str) -> Callable[[Shelf, Params], dict[str, Any]]:
    """A function of the API by its module and name."""
    module, function = name.split(".")

    def call(shelf: Shelf, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = getattr(importlib.import_module(f"{HOME}.{module}"), function)(shelf, params)
        return found

    return call


def warm_up() -> None:
    for name in FIRST:
        importlib.import_module(name)
