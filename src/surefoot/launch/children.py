"""The processes that a program starts, directly or not: each is watched by itself; here all is joined.

What they need to know goes to them by a folder, whose name they have from an environment variable. See `hook`.
"""

import ast
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from surefoot.judge import Finding
from surefoot.launch.child import keep_plan
from surefoot.launch.handover import Part, parts
from surefoot.launch.hook import surefoot_argv as command
from surefoot.launch.hook.surefoot_hook import Follower
from surefoot.launch.plan import Plan
from surefoot.report import Process, Report, add_up, merge
from surefoot.runlog.secret import masked

_FORKED = (
    "os.fork() made it after torch was imported, and it trained. "
    "Start it by multiprocessing.Process, or call sf.watch(model, optimizer) in it."
)

Exec = Callable[[str, list[str], Mapping[Any, Any] | None], None]


class Children:
    """`before_exec` is called when the process that the user started is about to become another program."""

    def __init__(self, plan: Plan, before_exec: Exec) -> None:
        self._plan = plan
        self._folder: str | None = None
        self._follower: Follower | None = None
        self._before_exec = before_exec

    def watch(self) -> None:
        """From now on, children that the program starts are watched."""
        self._follower = Follower(self._make_folder, "", sys.orig_argv)
        self._follower.before_exec = self._before_exec
        self._follower.install()
        self._follower.follow_torch()  # for forks that import it themselves

    def collect(self, mine: Report, judge: Callable[[Report], Report]) -> tuple[Report, list[Finding]]:
        """One report of this process and what others handed over, and what `judge` found of ranks among them.

        Processes that are started later are not watched.
        """
        if self._follower is not None:
            self._follower.remove()
        if self._folder is None:
            return mine, []
        try:
            return _joined(mine, Path(self._folder), judge)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _make_folder(self) -> str:
        if self._folder is None:
            folder = tempfile.mkdtemp(prefix="surefoot-")
            keep_plan(self._plan, Path(folder))
            self._folder = folder
        return self._folder


def _joined(mine: Report, folder: Path, judge: Callable[[Report], Report]) -> tuple[Report, list[Finding]]:
    records = _records(folder)
    handed = parts(folder)
    alone = [part.report for part in handed if part.origin.rank is None]
    together: list[Report] = []
    found: list[Finding] = []
    for ranks in groups([part for part in handed if part.origin.rank is not None]):
        report = merge(ranks)
        judged = judge(report)
        together.append(judged)
        found += judged.findings[len(report.findings) :]
    joined = add_up([mine, *alone, *together])
    joined.processes += _processes(records, handed)
    joined.not_followed.update(_missed(records, mine.script))
    return joined, found


def groups(ranks: Sequence[Part]) -> list[list[Report]]:
    """Ranks that were started together: by the same process, and each rank once."""
    groups: dict[tuple[int, int], list[Report]] = {}
    num_seen: dict[tuple[int, int | None], int] = {}
    for part in ranks:
        place = (part.origin.parent, part.origin.rank)
        num_seen[place] = num_seen.get(place, 0) + 1
        groups.setdefault((part.origin.parent, num_seen[place]), []).append(part.report)
    return list(groups.values())


def _processes(records: Sequence[tuple[str, dict[str, Any]]], handed: Sequence[Part]) -> list[Process]:
    """All that were seen, with what is known of those that trained."""
    watched = {part.origin.pid: part for part in handed}
    processes = []
    for kind, fields in records:
        if kind == "seen":
            part = watched.pop(fields["pid"], None)
            origin = part.origin if part else None
            steps = part.report.steps if part else 0
            is_complete = origin is None or origin.is_final
            processes.append(Process(fields["name"], steps, origin.rank if origin else None, is_complete))
    return processes


def _missed(records: Sequence[tuple[str, dict[str, Any]]], script: str) -> dict[str, str]:
    """Commands, and for each why its process was not followed and what to do."""
    here = {fields["pid"] for kind, fields in records if kind in ("seen", "missed")}
    missed = {}
    for kind, fields in records:
        argv = masked(fields.get("argv", ()))
        shown = " ".join(argv)
        if kind == "missed":
            advice = f"Install surefoot for {fields['executable']}, or run that program by itself."
            missed[shown] = f"{fields['why']}. {advice}"
        elif kind == "forked":
            is_program = command.role(fields["argv"]) == "program"
            name = command.name(fields["argv"]) if is_program else PurePath(script).name
            missed[f"a fork of {name}"] = _FORKED
        elif kind == "started" and fields["isolating"]:
            why = f"{fields['isolating']} keeps surefoot's start-up hook out"
            missed[shown] = f"{why}. Leave it out, or start it as `{_instead(argv)}`."
        elif kind == "started" and fields["pid"] not in here:
            why = "its Python did not load surefoot's start-up hook before the run ended"
            missed[shown] = f"{why}. Start it as `{_instead(argv)}`."
    return missed


def _instead(argv: list[str]) -> str:
    _, kind, name = command.parse(argv)
    if kind == "-c" or name == "-":
        return "surefoot run SCRIPT"
    at = argv.index(name) + 1 if name in argv else len(argv)
    return " ".join(["python -m surefoot run", *filter(None, [kind]), name, *argv[at:]])


def _records(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each with its kind, in the order in which they were made."""
    files = sorted(folder.glob("*.record"), key=lambda file: int(file.stem.rpartition("-")[2]))
    return [(file.name.partition("-")[0], ast.literal_eval(file.read_text(encoding="utf-8"))) for file in files]
