"""What layers do over time: heatmaps and histograms."""

from typing import Any

from surefoot.dashboard.data.charts import EVER
from surefoot.dashboard.data.heatmap import COLUMNS, KINDS, MOST_COLUMNS, heatmap
from surefoot.dashboard.data.hists import MOST, hists
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.server.reply import BadRequestError, Params

MOST_HISTS = 500


def read_heatmap(run_cache: RunCache, given: Params) -> dict[str, Any]:
    of = given.text("of", "grad_norm")
    if of not in KINDS:
        raise BadRequestError(f"of must be one of {', '.join(KINDS)}, got {of[:40]!r}.")
    process = run_cache.open(given.path["run"]).process(given.number("rank", 0) or 0)
    num = given.count("buckets", COLUMNS, MOST_COLUMNS)
    return heatmap(process, run_cache.memory, of, given.number("from"), given.number("to"), num)


def read_hists(run_cache: RunCache, given: Params) -> dict[str, Any]:
    process = run_cache.open(given.path["run"]).process(given.number("rank", 0) or 0)
    first, last = given.number("from", -EVER), given.number("to", EVER)
    assert first is not None and last is not None, "both have a default"
    return hists(process, given.text("name"), first, last, given.count("max", MOST, MOST_HISTS))
