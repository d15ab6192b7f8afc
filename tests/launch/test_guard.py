"""However surefoot fails, and whatever happens to stderr, a program ends as it would without surefoot."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.launch.guard import Guard
from tests.cli.command import write
from tests.forked.client import python

FAILING = """
import sys
from surefoot.cli import run_command
from surefoot.cli.main import main
from surefoot.launch.children import Children
from surefoot.launch.watching import Watching

def fail(*args, **kwargs):
    raise LookupError("ours")

OWNER.NAME = fail
sys.exit(main(["run", "--no-log", "train.py"]))
"""
PARTS = [
    ("Watching", "start"), ("Watching", "finish"), ("Watching", "close"), ("Watching", "report"),
    ("Children", "watch"), ("Children", "collect"), ("run_command", "tell"),
]  # fmt: skip


def test_a_failure_is_told_in_one_line() -> None:
    said: list[str] = []
    assert Guard(said.append).run("the report", int, "x") is None
    assert Guard(said.append).run("the report", int, "3") == 3
    assert len(said) == 1
    assert said[0].startswith("the report failed; the script is not affected. ValueError: ")


@pytest.mark.parametrize(("owner", "name"), PARTS)
def test_the_exit_status_is_the_scripts(owner: str, name: str, tmp_path: Path) -> None:
    write(tmp_path / "train.py", "import sys; print('ran'); sys.exit(5)")
    code = FAILING.replace("OWNER", owner).replace("NAME", name)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("ran\n", 5)
    assert "failed; the script is not affected. LookupError: ours" in done.stderr
    assert all(line.startswith("surefoot: ") for line in done.stderr.splitlines())


def test_where_torch_has_changed_the_script_runs_and_no_rule_counts_as_checked(tmp_path: Path) -> None:
    write(tmp_path / "train.py", "import torch; print(torch.ones(1).item())")
    code = (
        "import sys, torch; del torch._C._DisableAutocast; from surefoot.cli.main import main; "
        "sys.exit(main(['run', '--no-log', 'train.py']))"
    )
    done = python(write(tmp_path / "gone.py", code), cwd=tmp_path)
    said = done.err
    assert (done.out, done.status) == (b"1.0\n", 0)
    assert "surefoot: it could not start; the script goes on unwatched. AttributeError: " in said
    assert "; 0 rules checked; " in said and "not checked: all of them (surefoot could not start: " in said


@pytest.mark.parametrize(
    "ending",
    [
        "import sys; sys.stderr.close()",
        "import sys; sys.stderr.close(); sys.exit('text')",
        "import sys; sys.stderr.close(); raise ValueError",
        "import sys; sys.stderr = None; sys.exit(3)",
        "import sys; sys.stderr = sys.stdout = None; sys.exit('text')",
        "import os; os.close(2)",
        "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "import atexit; atexit.register(int, 'x')",
    ],
)
@pytest.mark.parametrize("stderr", ["open", "closed", "broken"])
def test_it_ends_as_it_would_bare(ending: str, stderr: str, tmp_path: Path) -> None:
    write(tmp_path / "train.py", f"print('ran', flush=True)\n{ending}\n")
    assert _run(["-m", "surefoot", "run", "--no-log", "train.py"], stderr, tmp_path) == _run(
        ["train.py"], stderr, tmp_path
    )


def _run(args: list[str], stderr: str, cwd: Path) -> tuple[str, int]:
    redirected = {"open": "", "closed": "2>&-", "broken": "2> >(exec true)"}[stderr]
    command = f'{"sleep 0.1; " if stderr == "broken" else ""}exec "$@" {redirected}'
    done = subprocess.run(
        ["bash", "-c", command, "bash", sys.executable, *args], cwd=cwd, capture_output=True,
        text=True, check=False, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    return done.stdout, done.returncode
