"""What the start-up hook reads off command lines, and what it adds to environments."""

import os
from typing import Any

import pytest

from surefoot.launch.children import groups
from surefoot.launch.handover import Origin, Part
from surefoot.launch.hook import surefoot_argv as command
from surefoot.launch.hook.surefoot_spawn import HOOK, VARIABLE, Spawning
from surefoot.report import Report, add_up
from tests.cli.command import make_finding


@pytest.mark.parametrize(
    ("line", "name", "isolating", "role"),
    [
        ("python train.py -I", "train.py", "", "program"),
        ("python -u -X dev -Wignore a/train.py", "train.py", "", "program"),
        ("python -um pkg.train", "pkg.train", "", "program"),
        ("python -mpkg.train", "pkg.train", "", "program"),
        ("python -c pass", "python -c", "", "program"),
        ("python --check-hash-based-pycs never -", "python -", "", "program"),
        ("python", "python -", "", "program"),
        ("python -BI train.py", "train.py", "-I", "program"),
        ("python -S -E train.py", "train.py", "-S", "program"),
        ("python -m surefoot run x.py", "surefoot", "", "surefoot"),
        ("python /venv/bin/surefoot run x.py", "surefoot", "", "surefoot"),
        ("python -c multiprocessing.spawn --multiprocessing-fork", "python -c", "", "worker"),
        ("python -c multiprocessing.resource_tracker", "python -c", "", "helper"),
        ("python /lib/torch/_inductor/compile_worker/__main__.py", "__main__.py", "", "helper"),
    ],
)
def test_command_lines(line: str, name: str, isolating: str, role: str) -> None:
    argv = line.split()
    assert (command.name(argv), command.isolating(argv), command.role(argv)) == (name, isolating, role)
    assert command.is_python(argv)
    assert not command.is_python(["/bin/sh", *argv])


def test_the_hook_is_added_once_to_any_environment() -> None:
    spawning = Spawning(lambda: "0:/folder", lambda pid, argv: None, lambda path, argv, env: None)
    hooked = os.pathsep.join([HOOK, "src"])
    assert spawning.environment({"A": "1"}) == {"A": "1", "PYTHONPATH": HOOK, VARIABLE: "0:/folder"}
    assert spawning.environment({"PYTHONPATH": "src"})["PYTHONPATH"] == hooked
    assert spawning.environment({"PYTHONPATH": hooked})["PYTHONPATH"] == hooked
    assert spawning.environment([]) == [b"PYTHONPATH=" + os.fsencode(HOOK), b"SUREFOOT_FOLLOW=0:/folder"]
    given: dict[Any, Any] = {b"PYTHONPATH": b"src"}
    assert spawning.environment(given)[b"PYTHONPATH"] == os.fsencode(hooked)
    assert given == {b"PYTHONPATH": b"src"}
    off = Spawning(lambda: "", lambda pid, argv: None, lambda path, argv, env: None)
    assert off.environment(given) is given


def test_ranks_that_were_started_together_are_one_group() -> None:
    ranks = [(10, 0), (10, 1), (20, 0), (10, 1), (10, 0), (20, 1)]
    given = [Part(Origin(parent=parent, rank=rank), Report(f"{at}")) for at, (parent, rank) in enumerate(ranks)]
    assert [[report.script for report in group] for group in groups(given)] == [["0", "1"], ["2", "5"], ["3", "4"]]


def test_steps_of_processes_that_train_apart_are_added() -> None:
    added = add_up([Report("a", 3, [make_finding(count=1)]), Report("b", 4, [make_finding(count=2, step=1)])])
    assert (added.script, added.steps, added.findings[0].count, added.findings[0].step) == ("a", 7, 3, 1)
