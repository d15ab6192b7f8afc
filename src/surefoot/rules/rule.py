"""What a rule is: metadata, documentation and one pure function from facts to evidence."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Literal

from surefoot.facts import Record, Site
from surefoot.facts.frozen import frozen
from surefoot.rules.history import History

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("note", "warning", "error")  # ascending


@frozen
class Evidence:
    """What a rule found: observed (`message`), what follows (`why`), one thing to do (`fix`)."""

    message: str
    fix: str
    site: Site | None
    why: str = ""  # the rule's own "Why it matters" when empty
    numbers: dict[str, Any] = field(default_factory=dict)
    level: Level | None = None  # only to lower the rule's level
    step: int | None = None  # at which it was seen, where that is not the record's own


Check = Callable[[Any, History], Iterator[Evidence]]


@frozen
class Rule:
    name: str
    family: str
    level: Level
    on: tuple[type[Record], ...]
    check: Check
    probes: tuple[str, ...]  # what must be watched; if one is off, the rule is not checked
    doc: str
    follows: tuple[str, ...] = ()  # rules whose findings for the same optimizer explain those of this one

    @property
    def summary(self) -> str:
        return self.doc.split("\n", 1)[0]


def rule(
    level: Level,
    *,
    on: type[Record] | tuple[type[Record], ...],
    probes: tuple[str, ...] = (),
    follows: tuple[str, ...] = (),
) -> Callable[[Check], Rule]:
    """Make the decorated check a rule. Its name and family are those of its file and folder."""

    def decorate(check: Check) -> Rule:
        module = sys.modules[check.__module__]  # inspect.getmodule would go through all that are loaded
        assert module.__doc__, "a rule's module docstring is its documentation"
        *_, family, name = module.__name__.split(".")
        kinds = on if isinstance(on, tuple) else (on,)
        return Rule(name.replace("_", "-"), family, level, kinds, check, probes, module.__doc__.strip(), follows)

    return decorate
