"""What is taught about rules and families."""

from typing import Any

from surefoot.dashboard.data.lessons import all_lessons, family_lesson, rule_lesson
from surefoot.dashboard.data.shelf import Shelf
from surefoot.dashboard.server.reply import Params


def list_lessons(shelf: Shelf, params: Params) -> dict[str, Any]:
    return all_lessons()


def read_family(shelf: Shelf, params: Params) -> dict[str, Any]:
    return family_lesson(params.path["family"])


def read_rule(shelf: Shelf, params: Params) -> dict[str, Any]:
    return rule_lesson(params.path["rule"])
