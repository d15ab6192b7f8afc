"""Runs programs in forks of a process that has torch: importing it takes longer than all they do.

Only the start differs from `surefoot verify`: the same hook follows the fork and its ranks, and records.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import torch._dynamo

from surefoot.launch import outcome
from surefoot.launch.hook.surefoot_hook import Follower
from surefoot.launch.program import Program
from surefoot.verify.child import recorder
from surefoot.verify.child.plan import VARIANT
from surefoot.verify.runner import Runner

LOADED = (torch._dynamo, recorder)  # by every program


class ForkRunner(Runner):
    def _run(self, words: Sequence[str], places: list[Path]) -> int | None:
        status = 0
        for number, place in enumerate(places):
            pid = os.fork()
            if not pid:
                _become(words, places[0], self.copies[place].folder, number)
            status = status or os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return status


def _become(words: Sequence[str], first: Path, folder: Path, number: int) -> None:
    """The program, in this process; never returns."""
    output = os.open(first / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(folder)
    os.environ[VARIANT] = str(number)
    torch.set_num_threads(1)
    script, *args = (str(folder / Path(word).name) if word.endswith(".py") else word for word in words)
    follower = Follower(lambda: str(first), "", [sys.executable, script])
    follower.install()
    follower.follow_torch()
    ended = outcome.run(Program(script, tuple(args)).run)
    outcome.run_exit_functions()
    os._exit(ended.status)
