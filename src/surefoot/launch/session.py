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
        claims = None if ranks is None else ranks.claims()
        self._watching = Watching(plan, say=say, on_finding=on_finding, claims=claims)

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
        watching, ranks = self._watching, self._ranks
        watching.finish(self._ended.reason)
        report = merge([watching.report(), *self._children.collect()])
        if ranks is not None and not ranks.tells:
            watching.close(self._ended.reason, self._ended.status)
            ranks.hand_over(report)
            return
        report = report if ranks is None else self._of_all(ranks, report)
        judged = judge_together(report, watching.rules, watching.switched_off)
        watching.found_together(judged.findings[len(report.findings) :])
        watching.close(self._ended.reason, self._ended.status)
        if ranks is not None:
            ranks.clear()
        self._tell(judged)

    def _of_all(self, ranks: Ranks, report: Report) -> Report:
        hurry = self._ended.reason not in ("finished", "max-steps")
        joined, num_missing = ranks.union(report, HURRY_SECONDS if hurry else WAIT_SECONDS)
        if num_missing:
            self._say(f"{num_missing} of {ranks.num_local} ranks did not hand over what they found.")
        return joined
