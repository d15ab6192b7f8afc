"""Which rules are asked: names or families, selected and ignored."""

import difflib
from collections.abc import Iterable

from surefoot.rules import Rule


class UnknownRuleError(ValueError):
    """A name that is neither a rule nor a family."""


def select(rules: dict[str, Rule], selected: Iterable[str] = (), ignored: Iterable[str] = ()) -> dict[str, Rule]:
    """The rules to ask: all, or the selected ones, without the ignored ones."""
    wanted = _named(rules, selected) or set(rules)
    unwanted = _named(rules, ignored)
    return {name: r for name, r in rules.items() if name in wanted and name not in unwanted}


def _named(rules: dict[str, Rule], names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    families = {r.family for r in rules.values()}
    for name in names:
        if name in rules:
            found.add(name)
        elif name in families:
            found |= {r.name for r in rules.values() if r.family == name}
        else:
            near = nearest(name, [*rules, *families])
            hint = f" Did you mean {near!r}?" if near else ""
            raise UnknownRuleError(f"there is no rule or family named {name!r}.{hint}")
    return found


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant."""
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.3)
    return near[0] if near else None
