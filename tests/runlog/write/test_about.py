"""What a log tells about its process, and that asking never hangs."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from surefoot.runlog.write import about
from surefoot.runlog.write.about import about_later, about_process, ranks_of, script_name


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *args], check=True)


def test_the_commit_and_whether_it_was_changed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "train.py").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    told = about_later(str(tmp_path))
    assert len(told["git_commit"]) == 40 and told["git_dirty"] == "0"
    (tmp_path / "train.py").write_text("2")
    assert about_later(str(tmp_path))["git_dirty"] == "1"
    assert json.loads(told["versions"])["python"]


def test_without_git_or_a_repository_it_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert about_later(str(tmp_path))["git_commit"] == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert about_later(str(tmp_path))["git_dirty"] == ""


@pytest.mark.skipif(os.name == "nt", reason="needs a shell script in place of git")
def test_a_git_that_hangs_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(about, "GIT_SECONDS", 0.2)
    started = time.monotonic()
    assert about_later(str(tmp_path))["git_commit"] == ""
    assert time.monotonic() - started < 30


def test_who_and_where(monkeypatch: pytest.MonkeyPatch) -> None:
    told = about_process("a-run", "train.py", 1, 4)
    assert (told["run"], told["rank"], told["num_ranks"], told["attempt"]) == ("a-run", "1", "4", "1")
    assert int(told["pid"]) == os.getpid()
    assert json.loads(told["command"])
    assert ranks_of({"RANK": "3", "WORLD_SIZE": "8"}) == (3, 8)
    assert ranks_of({"RANK": "three", "WORLD_SIZE": "8"}) == ranks_of({}) == (0, 1)
    for argv, name in (
        (["-c"], "python"),
        ([], "python"),
        (["x/ipykernel_launcher.py"], "notebook"),
        (["a.py"], "a.py"),
    ):
        monkeypatch.setattr("sys.argv", argv)
        assert script_name() == name


def test_a_working_folder_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Path:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "cwd", gone)
    assert about_process("a-run", "train.py", 0, 1)["cwd"] == ""
