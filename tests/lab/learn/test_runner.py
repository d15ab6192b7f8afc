"""The two programs of a rule, run for real; and nothing is left of them, however it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from surefoot.lab.learn import runner
from surefoot.lab.learn.outcome import Outcome
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import Lesson, lesson_of

RULES = catalogue()
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups")
FOREVER = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(os.environ["TOLD"], f"{os.getpid()}.pid").write_text(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""


def lesson(bad: str, good: str) -> Lesson:
    return Lesson(RULES["stale-gradients"], {}, {"Bad": bad, "Good": good})


def is_alive(pid: int) -> bool:
    """A zombie is not."""
    said = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(said) and not said.startswith("Z")


def wait_for(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def pids_told(folder: Path) -> list[int]:
    return [int(pid) for file in folder.glob("*.pid") for pid in file.read_text().split()]


def plain_losses(code: str) -> list[float]:
    """Of the program as it is."""
    space: dict[str, Any] = {"__name__": "__main__", "seen": []}
    exec(code.replace("    loss.backward()", "    seen.append(loss.item())\n    loss.backward()"), space)
    return [float(f"{value:.9g}") for value in space["seen"]]


def test_losses_weights_and_findings_of_both() -> None:
    taught = lesson_of(RULES["stale-gradients"])
    messages = list(runner.run_twins(taught))
    assert messages[0] == {"kind": "begin", "rule": "stale-gradients", "twins": ["bad", "good"]}
    assert messages[-1] == {"kind": "done"}
    outcome = Outcome()
    for message in messages:
        outcome.take(message)
    bad, good = outcome.courses["bad"], outcome.courses["good"]
    assert [value for _, value in bad.losses[0]] == plain_losses(taught.programs["Bad"])
    assert [value for _, value in good.losses[0]] == plain_losses(taught.programs["Good"])
    assert list(bad.weights) == list(good.weights) == ["weight[0, 0]", "bias[0]", "weight[0, 1]"]
    for name, points in bad.weights.items():
        assert [step for step, _ in points] == list(range(9))
        assert points[:2] == good.weights[name][:2], "up to the first step they are the same"
        assert points[2:] != good.weights[name][2:]
    assert [finding["rule"] for finding in bad.findings] == ["stale-gradients"] and bad.findings[0]["line"] == 10
    assert not good.findings and not outcome.has_failed
    text = outcome.as_text()
    assert "error[stale-gradients] line 10, first at step 2, 7 times" in text
    assert "Good: 8 steps, nothing found." in text and "weight[0, 0]" in text


def test_programs_that_raise_or_die_are_told() -> None:
    outcome = Outcome()
    for message in runner.run_twins(lesson("print('before')\n1 / 0\n", "import os\nos._exit(7)\n")):
        outcome.take(message)
    end = outcome.courses["bad"].end
    assert (end["status"], end["reason"]) == (1, "raised") and "ZeroDivisionError" in end["said"]
    assert (outcome.courses["good"].end["status"], outcome.courses["good"].end["reason"]) == (7, "died")
    assert outcome.has_failed and "Bad did not run to its end: raised." in outcome.as_text()


def test_a_weight_that_nobody_trains_is_told_beside_the_same_one_that_learns() -> None:
    outcome = Outcome()
    for message in runner.run_twins(lesson_of(RULES["parameters-not-in-optimizer"])):
        outcome.take(message)
    moved = {
        twin: {name for name, points in course.weights.items() if points[0][1] != points[-1][1]}
        for twin, course in outcome.courses.items()
    }
    assert list(outcome.courses["bad"].weights) == list(outcome.courses["good"].weights)
    assert moved["good"] - moved["bad"] == {"decoder.weight[0, 0]", "decoder.bias[0]"}


def test_programs_for_ranks_run_on_two_of_them_which_are_judged_together() -> None:
    outcome = Outcome()
    for message in runner.run_twins(lesson_of(RULES["same-data-on-every-rank"])):
        outcome.take(message)
    bad, good = outcome.courses["bad"], outcome.courses["good"]
    assert [finding["rule"] for finding in bad.findings] == ["same-data-on-every-rank"], bad.end
    assert not good.findings and not outcome.has_failed
    assert (bad.end["steps"], good.end["steps"]) == (8, 4), "all of the data on both ranks, or half on each"


def test_a_rank_does_not_wait_for_one_that_has_failed() -> None:
    failing = """
import torch.distributed as dist
dist.init_process_group("gloo")
if dist.get_rank() == 0:
    raise SystemExit(3)
dist.barrier()
"""
    outcome = Outcome()
    for message in runner.run_twins(lesson(failing, "import torch")):
        outcome.take(message)
    assert outcome.courses["bad"].end["status"] == 3 and outcome.courses["good"].end["status"] == 0


@posix
def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLD", str(tmp_path))
    told = Outcome()
    for message in runner.run_twins(lesson(FOREVER, FOREVER)):
        told.take(message)
        if message["kind"] == "ready":
            wait_for(lambda: pids_told(tmp_path), "the programs do not begin")
            monkeypatch.setattr(runner, "MOST_SECONDS", 0.1)
    assert {course.end["reason"] for course in told.courses.values()} == {"took too long"}
    wait_for(lambda: not any(map(is_alive, pids_told(tmp_path))), "a process is left")


@posix
def test_who_stops_listening_ends_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLD", str(tmp_path))
    messages = runner.run_twins(lesson(FOREVER, FOREVER))
    while next(messages)["kind"] != "ready":
        pass
    wait_for(lambda: len(pids_told(tmp_path)) == 4, "the programs do not begin")
    messages.close()
    wait_for(lambda: not any(map(is_alive, pids_told(tmp_path))), "a process is left")


@posix
@pytest.mark.parametrize("how", ["interrupted", "terminated", "untied", "killed"])
def test_nothing_is_left_when_the_command_ends(how: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "surefoot",
        "learn",
        "loss-flat",
        "--run",
        "--format",
        "json",
        "--until-stdin-closes",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stdin is not None and process.stderr is not None
        while json.loads(process.stdout.readline())["kind"] != "ready":
            pass
        listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
        twins = [int(pid) for pid, parent in map(str.split, listed.splitlines()) if int(parent) == process.pid]
        assert len(twins) == 2
        if how == "interrupted":
            process.send_signal(signal.SIGINT)
        elif how == "terminated":
            process.terminate()
        elif how == "untied":
            process.stdin.close()
        else:
            process.kill()
        status = process.wait(60)
        assert status == (-signal.SIGKILL if how == "killed" else 130)
        assert how == "killed" or b"cancelled; both programs were ended." in process.stderr.read()
        wait_for(lambda: not any(map(is_alive, twins)), "a program is left")
        if how != "killed":
            assert not list(tmp_path.iterdir()), "its files are gone too"
