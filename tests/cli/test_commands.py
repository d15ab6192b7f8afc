"""The commands that need no torch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.cli.main import COMMANDS, main
from surefoot.rules.catalogue import catalogue
from tests.cli.command import surefoot, write


def test_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["family", "rule", "level", "finds"]
    assert [line.split()[1] for line in lines[1:]] == list(catalogue())


def test_rules_are_set_as_a_table_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["rules", "grad"]) == 0
    said = capsys.readouterr().out
    assert "stale-gradients" in said
    assert max(map(len, said.splitlines())) < 200


def test_rules_as_json_of_one_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "json", "clip"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {rule["family"] for rule in listed} == {"clip"}
    assert {"rule", "family", "level", "summary"} == set(listed[0])


@pytest.mark.parametrize("command", ["rules", "explain"])
def test_a_wrong_name_gets_the_nearest(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "stale-gradient"]) == 2
    assert "Did you mean 'stale-gradients'?" in capsys.readouterr().err


def test_a_name_like_nothing_gets_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "§§§"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_explain_prints_the_rule_itself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["explain", "stale-gradients"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("# stale-gradients\n\nerror, family grad\n\n")
    assert catalogue()["stale-gradients"].doc in said
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["explain", "stale-gradients"]) == 0
    assert "## Why it matters" not in capsys.readouterr().out  # set as a heading


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(f"    {command} " in said for command in COMMANDS)
    assert main([]) == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"surefoot {command}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == "surefoot 0.1.0\n"


def test_no_command_but_run_imports_torch(tmp_path: Path) -> None:
    code = "import sys; from surefoot.cli.main import main; main(sys.argv[1:]); print('torch' in sys.modules)"
    write(tmp_path / "nothing.py", "")
    for args in (["rules"], ["explain", "stale-gradients"], ["replay", "none"], ["run", "nothing.py"]):
        done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, cwd=tmp_path)
        assert done.stdout.endswith("False\n"), done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m surefoot rules --format json | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("[\n", "")


PLUGIN = '''
"""Every step is one too many.

## Why it matters
It does.
"""

from surefoot.facts import StepFacts
from surefoot.rules import Evidence, rule


@rule("warning", on=StepFacts)
def check(now, past):
    yield Evidence("a step", "stop", now.site)
'''


def test_rules_of_plug_ins(tmp_path: Path) -> None:
    """A distribution on the path is enough: its entry point names a module, a package of rules, or a rule."""
    write(tmp_path / "lib" / "my_rules" / "__init__.py", "")
    write(tmp_path / "lib" / "my_rules" / "habits" / "__init__.py", "")
    write(tmp_path / "lib" / "my_rules" / "habits" / "too_many_steps.py", PLUGIN)
    write(
        tmp_path / "lib" / "my_rules-1.0.dist-info" / "METADATA",
        "Metadata-Version: 2.1\nName: my-rules\nVersion: 1.0\n",
    )
    points = tmp_path / "lib" / "my_rules-1.0.dist-info" / "entry_points.txt"
    path = os.pathsep.join([str(tmp_path / "lib"), *filter(None, [os.environ.get("PYTHONPATH")])])
    for named in ("my_rules", "my_rules.habits.too_many_steps", "my_rules.habits.too_many_steps:check"):
        points.write_text(f"[surefoot.rules]\nmine = {named}\n")
        done = surefoot("rules", "habits", cwd=tmp_path, PYTHONPATH=path)
        assert b"habits  too-many-steps  warning  Every step is one too many." in done.out, done.err
    points.write_text("[surefoot.rules]\nmine = json:loads\n")
    done = surefoot("rules", cwd=tmp_path, PYTHONPATH=path)
    assert "entry point 'mine' must name a rule or a package of rules" in done.err
