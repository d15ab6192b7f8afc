"""Processes that can't be followed are named; none of them, and no other, is changed. These need no torch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.launch.children import _missed
from tests.cli.command import surefoot, write
from tests.launch.same import run_both


def test_a_run_in_which_nothing_trained_names_the_processes(tmp_path: Path) -> None:
    write(tmp_path / "worker.py", "print('worker', flush=True)")
    write(tmp_path / "launch.py", "import subprocess\nsubprocess.run(['python', 'worker.py'])")
    write(
        tmp_path / "train.py",
        """
        import multiprocessing, subprocess, sys
        subprocess.run([sys.executable, "-u", "-Wignore", "-X", "dev", "launch.py", "--lr", "1"])
        multiprocessing.get_context("fork").Process(target=print, args=("forked",), name="forked").start()
        """,
    )
    added = run_both("train.py", cwd=tmp_path)
    said = "no optimizer stepped in train.py or in the 3 Python processes it started (launch.py, worker.py, forked)"
    assert added.err.startswith(f"surefoot: {said}; 0 findings in 0 steps; ")
    assert added.err.count("\n") == 1


def test_isolated_processes_are_named(tmp_path: Path) -> None:
    write(tmp_path / "worker.py", "import sys\nprint(sys.flags.isolated, flush=True)")
    write(
        tmp_path / "train.py",
        """
        import os, subprocess, sys
        subprocess.run([sys.executable, "-I", "worker.py", "--lr", "1"])
        os.spawnl(os.P_WAIT, sys.executable, "python", "-BE", "-m", "this")
        subprocess.run(["echo", "not Python"])
        """,
    )
    added = run_both("train.py", cwd=tmp_path)
    first, second, last = added.err.splitlines()
    assert first == (
        f"surefoot: not followed: {sys.executable} -I worker.py --lr 1: -I keeps surefoot's start-up hook out. "
        "Leave it out, or start it as `python -m surefoot run worker.py --lr 1`."
    )
    assert second.endswith(
        "-E keeps surefoot's start-up hook out. Leave it out, or start it as `python -m surefoot run -m this`."
    )
    assert last.startswith("surefoot: no optimizer step was seen")


def test_a_python_without_surefoot_is_named_when_it_imports_torch(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "other"], check=True)
    write(tmp_path / "torch.py", "print('fake torch', flush=True)")
    other = str(tmp_path / "other" / "bin" / "python")
    write(
        tmp_path / "train.py",
        f"""
        import subprocess
        for code in ("pass", "import importlib.util; importlib.util.find_spec('torch')", "import torch"):
            subprocess.run([{other!r}, "-c", code], env={{}})
        """,
    )
    done = surefoot("run", "--no-log", "--report", "report.json", "train.py", cwd=tmp_path)
    assert (done.out, done.status) == (b"fake torch\n", 0)
    (missed,) = json.loads((tmp_path / "report.json").read_text())["not_followed"]
    assert missed["command"] == f"{other} -c import torch"
    assert missed["why"] == (
        "surefoot can't be imported there (ModuleNotFoundError: No module named 'surefoot'). "
        f"Install surefoot for {other}, or run that program by itself."
    )


def test_their_secrets_are_not_named() -> None:
    argv = ["python", "-I", "worker.py", "--api-key", "0123abcd", "--lr", "0.1"]
    told = _missed([("started", {"pid": 1, "argv": argv, "isolating": "-I"})], "train.py")
    ((shown, why),) = told.items()
    assert shown == "python -I worker.py --api-key … --lr 0.1"
    assert "`python -m surefoot run worker.py --api-key … --lr 0.1`" in why


def test_children_see_what_they_would_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "more", prepend=os.pathsep)
    write(tmp_path / "site" / "sitecustomize.py", "import sys\nsys.chained = True\nprint('customized', flush=True)")
    write(
        tmp_path / "child.py",
        """
        import os, sys
        print(sorted(os.environ.items()), sys.path, sys.argv, flush=True)
        print([name for name in sys.modules if "custom" in name], getattr(sys, "chained", False), flush=True)
        print(os.environ == dict(os.environ), sys.excepthook is sys.__excepthook__, flush=True)
        import subprocess
        subprocess.run(["no such program"])
        """,
    )
    write(
        tmp_path / "train.py",
        """
        import os, subprocess, sys
        for path in (None, "", "site", os.pathsep + "site", os.pathsep.join(["site", os.environ["PYTHONPATH"]])):
            env = dict(os.environ)
            env.pop("PYTHONPATH")
            if path:
                env["PYTHONPATH"] = path
            subprocess.run([sys.executable, "child.py", "x"], env=env)
            os.environ["PYTHONPATH"] = path or "site"
            subprocess.run([sys.executable, "child.py", "y"])
        print(sorted(os.environ.items()))
        subprocess.run("no such program")
        """,
    )
    added = run_both("train.py", cwd=tmp_path)
    assert added.out.count(b"customized") == 8
    assert added.status == 1


def test_surefoot_inside_of_surefoot_speaks_for_itself(tmp_path: Path) -> None:
    write(tmp_path / "train.py", "pass")
    write(
        tmp_path / "launch.py",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'surefoot', 'run', '--no-log', 'train.py'])",
    )
    done = surefoot("run", "--no-log", "launch.py", cwd=tmp_path)
    assert done.err.count("surefoot: no optimizer step was seen") == 2
