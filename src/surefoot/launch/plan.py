"""What is to be watched and how: everything a process of a run needs to know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.facts.frozen import frozen
from surefoot.rules import Level
from surefoot.runlog.labels import Labels

if TYPE_CHECKING:
    from surefoot.alerts.request import Request
    from surefoot.launch.workspace.redirect import Redirect


@frozen
class Plan:
    """Plain values, so that it can be handed to child processes."""

    script: str
    rules: tuple[str, ...]  # names
    stop_on: Level | None = None
    overhead: float = 0.02
    gradcheck: bool = False
    thorough: bool = False
    max_steps: int | None = None
    log: Path | None = None  # this run's folder; absolute, because programs change their working folder
    user_code: tuple[str, ...] = ()
    alerts: tuple[Request, ...] = ()
    prometheus: int | None = None  # port
    labels: Labels = Labels()
    redirect: Redirect | None = None  # in a copy of the user's folders
