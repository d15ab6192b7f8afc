"""One run of one program in the process that the user started."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from surefoot.judge import Finding
from surefoot.launch import outcome
from surefoot.launch.children import Children
from surefoot.launch.guard import Guard
from surefoot.launch.outcome import Outcome
from surefoot.launch.plan import Plan
from surefoot.launch.program import Program
from surefoot.launch.ranks import WAIT_SECONDS, Ranks
from surefoot.launch.replacement import end_like, run_instead
from surefoot.launch.termination import Termination
from surefoot.launch.traceback import clean_in_threads
from surefoot.launch.watching import Watching
from surefoot.report import Report, judge_together

HURRY_SECONDS = 2.0  # to wait for other ranks when somebody wants this process to end


class Session:
    """`tell` gets the report, once, in the process whose business that is, and returns the exit status it asks for."""

    def __init__(
        self,
        program: Program,
        plan: Plan,
        ranks: Ranks | None,
        *,
        on_finding: Callable[[Finding], None],
        tell: Callable[[Report], int],
        say: Callable[[str], None],
    ) -> None:
        self._program = program
        self._ranks = ranks
        self._tell = tell
        self._say = say
        self._guard = Guard(say)
        self._pid = os.getpid()
        self._ended = Outcome(1, "interrupted")  # until it has ended otherwise
        self._termination = Termination(lambda: self._guard.run("the report", self._report))
        self._children = Children(plan, self._replace)
        self.exit_status = 0  # the exit status that the report asks for
        claims = None if ranks is None else ranks.claims()
        self._watching = Watching(plan, say=say, on_finding=on_finding, claims=claims)

    def run(self) -> Outcome:
        """Run the program to its very end, threads and exit functions too; then tell."""
        guarded = self._guard.run
        self._termination.expect()
        guarded("the start", self._watching.start)
        guarded("watching child processes", self._children.watch)
        clean_in_threads()
        self._ended = outcome.run(self._program.run)
        outcome.wait_for_threads()
        guarded("the end of the watch", self._watching.finish, self._ended.reason)
        outcome.run_exit_functions()
        if os.getpid() == self._pid:  # else a child that the program forked and let run on to here
            self._termination.tell()
        return self._ended

    def _replace(self, path: str, argv: list[str], env: Mapping[Any, Any] | None) -> None:
        """The program becomes another one. Where there is no such thing as exec, that one is not waited for."""
        if os.name == "nt":
            return
        status = run_instead(path, argv, os.environ if env is None else env)
        self._ended = Outcome(status, "raised" if status else "finished")
        self._termination.tell()
        end_like(status or self.exit_status)

    def _report(self) -> None:
        watching, ranks = self._watching, self._ranks
        self._guard.run("the end of the watch", watching.finish, self._ended.reason)
        mine = watching.report()
        report, found = self._guard.run("reports of children", self._children.collect, mine, self._judge) or (mine, [])
        watching.found_in_children(found)
        if ranks is not None and not ranks.tells:
            self._close()
            ranks.hand_over(report)
            return
        report = report if ranks is None else self._of_all(ranks, report)
        judged = self._judge(report)
        watching.found_together(judged.findings[len(report.findings) :])
        self._close()
        if ranks is not None:
            ranks.clear()
        self.exit_status = self._tell(judged)

    def _judge(self, report: Report) -> Report:
        return judge_together(report, self._watching.rules, self._watching.switched_off)

    def _close(self) -> None:
        """A log that can't be closed must not keep the report from being told."""
        self._guard.run("the end of the run log", self._watching.close, self._ended.reason, self._ended.status)

    def _of_all(self, ranks: Ranks, report: Report) -> Report:
        hurry = self._ended.reason not in ("finished", "max-steps")
        joined, num_missing = ranks.union(report, HURRY_SECONDS if hurry else WAIT_SECONDS)
        if num_missing:
            self._say(f"{num_missing} of {ranks.num_local} ranks did not hand over what they found.")
        return joined
