"""Two runs side by side, and what rules are about."""

from typing import Any

from surefoot.dashboard.data.comparison import comparison
from surefoot.dashboard.data.rule_page import rule_page
from surefoot.dashboard.data.shelf import Shelf
from surefoot.dashboard.server.reply import BadRequestError, Params


def compare(shelf: Shelf, given: Params) -> dict[str, Any]:
    names = given.texts("run")
    if len(names) != 2:
        raise BadRequestError(f"two runs are compared, got {len(names)}.")
    return comparison(shelf.open(names[0]), shelf.open(names[1]))


def read_rule(shelf: Shelf, given: Params) -> dict[str, Any]:
    return rule_page(given.path["rule"])
