"""The commands that `--format agent` names are right for the program that was run."""

import os
import shlex
from argparse import Namespace
from pathlib import Path

import pytest

from surefoot.cli.fix_command import _parser
from surefoot.cli.next_commands import after_replay, after_run
from surefoot.cli.parsing import DEFAULT_LOG
from surefoot.cli.run_options import parse, parse_program
from surefoot.launch.program import Program
from surefoot.launch.ranks import Ranks
from surefoot.report import Process, Report

PROGRAMS = [
    Program("train.py"),
    Program("my train.py", ("--lr", "0.1", "--apply", "it's")),
    Program("package.train", ("-m", "x"), is_module=True),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.parametrize("max_steps", [None, 50])
def test_they_run_the_same_program(program: Program, max_steps: int | None) -> None:
    commands = after_run(program, Namespace(max_steps=max_steps), Report(program.name, 5), None)
    assert list(commands) == ["run_only_this_rule", "show_proven_patches", "explain_rule"]
    words = shlex.split(commands["run_only_this_rule"])
    options, again = parse(words[2:])
    assert (words[:2], again) == (["surefoot", "run"], program)
    assert (options.format, options.select, options.max_steps) == ("agent", ["RULE"], max_steps)
    words = shlex.split(commands["show_proven_patches"])
    options, again = parse_program(_parser(), words[2:], takes_behind=True)
    assert (words[:2], again) == (["surefoot", "fix"], program)
    assert (options.max_steps, options.apply) == (max_steps, False)


def test_secrets_are_masked() -> None:
    commands = after_run(Program("train.py", ("--token", "s3cr3t")), Namespace(max_steps=None), Report("x", 5), None)
    assert not any("s3cr3t" in command for command in commands.values())


def test_only_what_works_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, program = Namespace(max_steps=None), Program("launch.py")
    trained_elsewhere = Report("launch.py", 5, processes=[Process("train.py", 5)])
    assert "show_proven_patches" not in after_run(program, options, trained_elsewhere, None)
    ranks = Ranks(0, 0, 2, tmp_path)
    assert list(after_run(program, options, Report("launch.py", 5), ranks)) == ["explain_rule"]
    monkeypatch.delattr(os, "fork")
    assert "show_proven_patches" not in after_run(program, options, Report("launch.py", 5), None)


def test_a_replay_names_its_run() -> None:
    assert after_replay("latest", DEFAULT_LOG)["run_only_this_rule"] == (
        "surefoot replay --format agent --select RULE latest"
    )
    assert "--log 'my runs' latest" in after_replay("latest", Path("my runs"))["run_only_this_rule"]
