"""Curves."""

from typing import Any

from surefoot.dashboard.data.charts import BUCKETS, MOST_BUCKETS, charts, params
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.data.spread import spreads
from surefoot.dashboard.server.reply import BadRequestError, Params

MOST_NAMES = 500
MOST_RUNS = 64


def read_series(run_cache: RunCache, given: Params) -> dict[str, Any]:
    names = given.texts("name")
    if len(names) > MOST_NAMES:
        raise BadRequestError(f"at most {MOST_NAMES} series at once, got {len(names)}.")
    process = run_cache.open(given.path["run"]).process(given.number("rank", 0) or 0)
    num = given.count("buckets", BUCKETS, MOST_BUCKETS)
    return charts(process, run_cache.memory, names, given.number("from"), given.number("to"), num)


def read_series_of_runs(run_cache: RunCache, given: Params) -> dict[str, Any]:
    """The same of several runs at once, or with `mean` their mean and spread."""
    runs, names = given.texts("run"), given.texts("name")
    if not 0 < len(runs) <= MOST_RUNS or len(names) > MOST_NAMES:
        raise BadRequestError(f"series of 1 to {MOST_RUNS} runs at once, got {len(runs)}.")
    first, last, num = given.number("from"), given.number("to"), given.count("buckets", BUCKETS, MOST_BUCKETS)
    opened = [run_cache.open(run) for run in runs]
    if given.text("mean"):
        return spreads(opened, run_cache.memory, names, first, last, num)
    found = [charts(run.process(0), run_cache.memory, names, first, last, num)["series"] for run in opened]
    return {"runs": dict(zip(runs, found, strict=True))}


def read_params(run_cache: RunCache, given: Params) -> dict[str, Any]:
    process = run_cache.open(given.path["run"]).process(given.number("rank", 0) or 0)
    return params(process, run_cache.memory, given.count("buckets", BUCKETS, MOST_BUCKETS))
