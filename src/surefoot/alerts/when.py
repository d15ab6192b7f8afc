"""What an alert is sent on: a level of findings, rules by name, expressions over scalars."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.alerts.expression import ExpressionError, parse
from surefoot.rules import LEVELS, Level
from surefoot.rules.catalogue import catalogue

DEFAULT = "error"
_NAME = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Plain values, so that it can be handed to child processes. Whatever is in it has been checked."""

    level: Level | None = None  # findings from this severity on
    rules: frozenset[str] = frozenset()
    expressions: tuple[str, ...] = ()

    def wants(self, rule: str, severity: Level) -> bool:
        is_grave = self.level is not None and LEVELS.index(severity) >= LEVELS.index(self.level)
        return is_grave or rule in self.rules


def read_wanted(given: Iterable[str]) -> Wanted:
    """Each is a level, a rule, a family or an expression; nothing given means errors."""
    levels: list[Level] = []
    rules: set[str] = set()
    expressions: dict[str, None] = {}
    for text in list(given) or [DEFAULT]:
        if not isinstance(text, str):
            raise TypeError(f'an alert is sent on a level, a rule or an expression, such as "loss > 3", got {text!r}.')
        named = _rules(text.strip())
        if text.strip() in LEVELS:
            levels += [level for level in LEVELS if level == text.strip()]
        elif named:
            rules |= named
        else:
            expressions[_expression(text)] = None
    return Wanted(min(levels, key=LEVELS.index, default=None), frozenset(rules), tuple(expressions))


def _rules(name: str) -> set[str]:
    return {rule.name for rule in catalogue().values() if name in (rule.name, rule.family)}


def _expression(text: str) -> str:
    try:
        return parse(text).text
    except ExpressionError as error:
        name = text.strip()
        if not _NAME.fullmatch(name):
            raise
        known = [*LEVELS, *catalogue(), *{rule.family for rule in catalogue().values()}]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ExpressionError(
            f"{name!r} is no level, rule or family, and no expression: nothing is compared.{hint}", text, error.at
        ) from None
