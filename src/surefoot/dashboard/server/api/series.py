"""Curves."""

from typing import Any

from surefoot.dashboard.data.charts import BUCKETS, MOST_BUCKETS, charts, params
from surefoot.dashboard.data.shelf import Shelf
from surefoot.dashboard.server.reply import BadRequestError, Params

MOST_NAMES = 500


def read_series(shelf: Shelf, given: Params) -> dict[str, Any]:
    names = given.texts("name")
    if len(names) > MOST_NAMES:
        raise BadRequestError(f"at most {MOST_NAMES} series at once, got {len(names)}.")
    process = shelf.open(given.path["run"]).process(given.number("rank", 0) or 0)
    num = given.count("buckets", BUCKETS, MOST_BUCKETS)
    return charts(process, shelf.memory, names, given.number("from"), given.number("to"), num)


def read_params(shelf: Shelf, given: Params) -> dict[str, Any]:
    process = shelf.open(given.path["run"]).process(given.number("rank", 0) or 0)
    return params(process, shelf.memory, given.count("buckets", BUCKETS, MOST_BUCKETS))
