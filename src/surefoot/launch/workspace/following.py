"""What a program starts writes where the program itself may write."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.launch.child import keep_plan
from surefoot.launch.hook.surefoot_hook import Follower
from surefoot.launch.workspace.redirect import Redirect


@dataclass(frozen=True)
class RedirectPlan:
    """For processes that nobody watches."""

    redirect: Redirect

    def begin(self, folder: Path, argv: Sequence[str], outer_rank: str) -> RedirectedChild:
        self.redirect.install_with_torch()
        return RedirectedChild()


@dataclass(frozen=True)
class RedirectedChild:
    pid: int = field(default_factory=os.getpid)

    def finish(self, status: int | None = None) -> None: ...

    def hand_over(self) -> None: ...


def redirect_children(redirect: Redirect, folder: Path) -> None:
    """From now on. `folder` keeps the plan for them."""
    keep_plan(RedirectPlan(redirect), folder)
    follower = Follower(lambda: str(folder), "", sys.orig_argv)
    follower.install()
    follower.follow_torch()
