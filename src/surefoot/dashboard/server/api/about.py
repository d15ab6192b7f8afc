"""Two runs side by side, and what rules are about."""

from typing import Any

from surefoot.dashboard.data.comparison import comparison
from surefoot.dashboard.data.rule_page import rule_page
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.server.reply import BadRequestError, Params


def compare(run_cache: RunCache, given: Params) -> dict[str, Any]:
    names = given.texts("run")
    if len(names) != 2:
        raise BadRequestError(f"two runs are compared, got {len(names)}.")
    return comparison(run_cache.open(names[0]), run_cache.open(names[1]))


def read_rule(run_cache: RunCache, given: Params) -> dict[str, Any]:
    return rule_page(given.path["rule"])
