"""Traces: the list, and one of them."""

from typing import Any

from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.data.traces import Traces, read_trace
from surefoot.dashboard.server.reply import Params

_TRACES = Traces()


def list_traces(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return {"traces": _TRACES.rows(run_cache.folder), "folder": str(run_cache.folder)}


def one_trace(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return read_trace(run_cache.folder, params.path["trace"])
