"""Two runs side by side, and settings of many against a metric."""

from typing import Any

from surefoot.dashboard.data.comparison import comparison
from surefoot.dashboard.data.ranking import ranking
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.server.reply import BadRequestError, Params

MOST_BY = 12
MOST_KEPT = 50


def compare_runs(run_cache: RunCache, given: Params) -> dict[str, Any]:
    names = given.texts("run")
    if len(names) != 2:
        raise BadRequestError(f"two runs are compared, got {len(names)}.")
    return comparison(run_cache.open(names[0]), run_cache.open(names[1]))


def read_ranking(run_cache: RunCache, given: Params) -> dict[str, Any]:
    metric = given.text("metric")
    is_low_good = given.text("goal", "high" if metric.startswith("high:") else "low") != "high"
    by, kept = given.texts("by")[:MOST_BY], given.texts("is")[:MOST_KEPT]
    found = ranking(run_cache, metric, by, kept, is_low_good=is_low_good)
    return {**found, "metric": metric, "goal": "low" if is_low_good else "high"}
