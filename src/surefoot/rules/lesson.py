"""What a rule teaches: its documentation in parts, and the two programs that show it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from surefoot.facts.frozen import frozen
from surefoot.rules.rule import Rule

BELIEF, TRUTH = "Common belief", "In truth"
TWINS = ("Bad", "Good")
_FORK_ONLY = 'multiprocessing_context="fork"'
_RANKS = "init_process_group"
_DEVICE = "torch.accelerator"


@frozen
class Lesson:
    rule: Rule
    sections: dict[str, str]  # by their titles, without the programs
    programs: dict[str, str]  # by "Bad" and "Good"

    @property
    def belief(self) -> str:
        return self.sections.get(BELIEF, "")

    @property
    def truth(self) -> str:
        return self.sections.get(TRUTH, "")

    @property
    def obstacle(self) -> str:
        """Why its programs can't be run here; empty: they can."""
        if set(self.programs) != set(TWINS):
            return "This rule has no pair of programs."
        code = "".join(self.programs.values())
        if needs_device(code):
            return "This does not show on a CPU: run the programs where torch has a device, such as a GPU."
        if _FORK_ONLY in code and sys.platform in ("win32", "darwin"):
            return "The programs fork their workers, which this system can't do safely."
        return ""


def is_for_ranks(code: str) -> bool:
    """Whether a program is to be started on several ranks."""
    return _RANKS in code


def needs_device(code: str) -> bool:
    """Whether a program shows what it is to show only on a device such as a GPU."""
    return _DEVICE in code


def lesson_of(rule: Rule) -> Lesson:
    _, *parts = re.split(r"^## (.+)\n", rule.doc, flags=re.MULTILINE)
    sections = {title.strip(): text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}
    programs = {title: _code(sections.pop(title)) for title in TWINS if title in sections}
    return Lesson(rule, sections, programs)


def families(rules: Iterable[Rule]) -> dict[str, str]:
    """Each with the first line of its package's docstring."""
    found: dict[str, str] = {}
    for rule in rules:
        package = sys.modules.get(rule.check.__module__.rpartition(".")[0])
        about = (package.__doc__ or "") if package is not None else ""
        found.setdefault(rule.family, about.strip().partition("\n")[0])
    return found


def _code(text: str) -> str:
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    return found[1] if found else text
