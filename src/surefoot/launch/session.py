"""One run of one program in the process that the user started."""

import os
from collections.abc import Callable

from surefoot.judge import Finding
from surefoot.launch import outcome
from surefoot.launch.children import Children
from surefoot.launch.outcome import Outcome
from surefoot.launch.plan import Plan
from surefoot.launch.program import Program
from surefoot.launch.ranks import WAIT_SECONDS, Ranks
from surefoot.launch.termination import Termination
from surefoot.launch.traceback import clean_in_threads
from surefoot.launch.watching import Watching
from surefoot.report import Report, judge_together, merge

HURRY_SECONDS = 2.0  # to wait for other ranks when somebody wants this process to end


class Session:
    """`tell` gets the report, once, in the process whose business that is."""

    def __init__(
        self,
        program: Program,
        plan: Plan,
        ranks: Ranks | None,
        *,
        on_finding: Callable[[Finding], None],
        tell: Callable[[Report], None],
        say: Callable[[str], None],
    ) -> None:
        self._program = program
        self._ranks = ranks
        self._tell = tell
        self._say = say
        self._pid = os.getpid()
        self._ended = Outcome(1, "interrupted")  # until it has ended otherwise
        self._children = Children(plan)
        self._watching = Watching(plan, say=say, on_finding=on_finding)

    def run(self) -> Outcome:
        """Run the program to its very end, threads and exit functions too; then tell."""
        termination = Termination(self._report)
        termination.expect()
        self._watching.start()
        self._children.watch()
        clean_in_threads()
        self._ended = outcome.run(self._program.run)
        outcome.wait_for_threads()
        self._watching.finish(self._ended.reason)
        outcome.run_exit_functions()
        if os.getpid() == self._pid:  # else a child that the program forked and let run on to here
            termination.tell()
        return self._ended

    def _report(self) -> None:
        self._watching.close(self._ended.reason, self._ended.status)
        report = merge([self._watching.report(), *self._children.collect()])
        if self._ranks is not None:
            if not self._ranks.tells:
                self._ranks.hand_over(report)
                return
            hurry = self._ended.reason not in ("finished", "max-steps")
            report, num_missing = self._ranks.union(report, HURRY_SECONDS if hurry else WAIT_SECONDS)
            if num_missing:
                self._say(f"{num_missing} of {self._ranks.num_local} ranks did not hand over what they found.")
        self._tell(judge_together(report, self._watching.rules, self._watching.switched_off))
