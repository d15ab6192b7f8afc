"""What takes a while to load is loaded after the server has started: by a thread, or by the first who needs it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.dashboard.data.run_cache import RunCache
    from surefoot.dashboard.server.reply import Params

HOME = "surefoot.dashboard.server.api"
FIRST = ("duckdb", "surefoot.report.convergence", f"{HOME}.runs", f"{HOME}.series", "surefoot.dashboard.data.news")


class Late:
    """The run cache of a folder, or of an address, which is a text."""

    def __init__(self, folder: Path | str, *, allows_edits: bool = True) -> None:
        self.folder = folder
        self.allows_edits = allows_edits
        self._lock = threading.Lock()
        self._run_cache: RunCache | None = None

    def run_cache(self) -> RunCache:
        with self._lock:
            if self._run_cache is None:
                self._run_cache = self._make()
            return self._run_cache

    def _make(self) -> RunCache:
        if isinstance(self.folder, str):
            from surefoot.dashboard.data.remote_cache import RemoteCache

            return RemoteCache(self.folder)
        from surefoot.dashboard.data.run_cache import RunCache

        return RunCache(self.folder, allows_edits=self.allows_edits)


def late(name: str) -> Callable[[RunCache, Params], dict[str, Any]]:
    """A function of the API by its module and name."""
    module, function = name.split(".")

    def call(run_cache: RunCache, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = getattr(importlib.import_module(f"{HOME}.{module}"), function)(run_cache, params)
        return found

    return call


def warm_up() -> None:
    for name in FIRST:
        importlib.import_module(name)
