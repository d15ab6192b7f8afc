"""What the user is told."""

from dataclasses import dataclass, field
from typing import Any

from surefoot.rules import Level

Place = tuple[str, str | None, int | None]  # rule, file, line: there is one finding of each


@dataclass(slots=True)
class Finding:
    """One rule at one line of user code. `count` grows while it keeps happening."""

    rule: str
    severity: Level
    message: str
    why: str
    fix: str
    file: str | None
    line: int | None
    step: int  # the first step at which it was seen
    count: int = 1
    evidence: dict[str, Any] = field(default_factory=dict)
    follows: Place | None = None  # the finding that explains this one

    @property
    def place(self) -> Place:
        """Rule, file and line: findings with the same place are one."""
        return (self.rule, self.file, self.line)
