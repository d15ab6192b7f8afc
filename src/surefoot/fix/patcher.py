"""What makes a patch: a function from a source and a finding to edits, in the order in which they are worth a trial."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache

from surefoot.facts.frozen import frozen
from surefoot.fix import patches
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.judge import Finding

Proposals = Iterator[tuple[str, Edit]]  # what each means, as an instruction
Propose = Callable[[Source, Finding], Proposals]


@frozen
class Patcher:
    """`anywhere`: the cause may stand in another file than the finding, which then tells no line of it.

    `is_choice`: its proposals mean different things, and only the user can say which was meant.
    """

    rules: tuple[str, ...]
    propose: Propose
    anywhere: bool = False
    is_choice: bool = False


def patch_for(*rules: str, anywhere: bool = False, is_choice: bool = False) -> Callable[[Propose], Patcher]:
    def make(propose: Propose) -> Patcher:
        return Patcher(rules, propose, anywhere, is_choice)

    return make


@cache
def patchers() -> dict[str, tuple[Patcher, ...]]:
    """By rule, in the order of their modules and of the text."""
    found: dict[str, list[Patcher]] = {}
    for info in pkgutil.iter_modules(patches.__path__, f"{patches.__name__}."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, Patcher):
                for rule in value.rules:
                    found.setdefault(rule, []).append(value)
    return {rule: tuple(several) for rule, several in found.items()}
