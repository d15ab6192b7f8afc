"""What is taught about rules and families."""

from typing import Any

from surefoot.dashboard.data.lessons import all_lessons, family_lesson, rule_lesson
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.server.reply import Params


def list_lessons(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return all_lessons()


def read_family(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return family_lesson(params.path["family"])


def read_rule(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return rule_lesson(params.path["rule"])
