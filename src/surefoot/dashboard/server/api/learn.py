"""Rules: what their page says, and what is taught about them and their families."""

from typing import Any

from surefoot.dashboard.data.lessons import all_lessons, family_lesson, rule_lesson
from surefoot.dashboard.data.rule_page import rule_page
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.server.reply import Params


def list_lessons(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return all_lessons()


def read_family(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return family_lesson(params.path["family"])


def read_rule(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return rule_lesson(params.path["rule"])


def read_rule_page(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return rule_page(params.path["rule"])
