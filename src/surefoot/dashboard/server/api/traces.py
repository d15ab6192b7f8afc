"""Traces: the list, and one of them."""

from typing import Any

from surefoot.dashboard.data.shelf import Shelf
from surefoot.dashboard.data.traces import Traces, read_trace
from surefoot.dashboard.server.reply import Params

_TRACES = Traces()


def list_traces(shelf: Shelf, params: Params) -> dict[str, Any]:
    return {"traces": _TRACES.rows(shelf.folder), "folder": str(shelf.folder)}


def one_trace(shelf: Shelf, params: Params) -> dict[str, Any]:
    return read_trace(shelf.folder, params.path["trace"])
