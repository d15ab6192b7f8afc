"""Curves."""

from typing import Any

from surefoot.dashboard.data.charts import BUCKETS, MOST_BUCKETS, charts, params
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.server.reply import BadRequestError, Params

MOST_NAMES = 500


def read_series(run_cache: RunCache, given: Params) -> dict[str, Any]:
    names = given.texts("name")
    if len(names) > MOST_NAMES:
        raise BadRequestError(f"at most {MOST_NAMES} series at once, got {len(names)}.")
    process = run_cache.open(given.path["run"]).process(given.number("rank", 0) or 0)
    num = given.count("buckets", BUCKETS, MOST_BUCKETS)
    return charts(process, run_cache.memory, names, given.number("from"), given.number("to"), num)


def read_params(run_cache: RunCache, given: Params) -> dict[str, Any]:
    process = run_cache.open(given.path["run"]).process(given.number("rank", 0) or 0)
    return params(process, run_cache.memory, given.count("buckets", BUCKETS, MOST_BUCKETS))
