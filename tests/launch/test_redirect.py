"""Nothing of the user's is changed: copies, links and redirected writes."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import surefoot
from surefoot.launch.workspace import contents
from surefoot.launch.workspace.contents import Contents

WRITES = """
import os, pathlib, shutil, sys
from pathlib import Path
from surefoot.launch.workspace.redirect import Redirect

user, own = Path(sys.argv[1]), Path(sys.argv[2])
Redirect(str(own), str(own / "outside")).install()
os.chdir(own / "copy")
open("here.txt", "w").write("mine")
open(user / "data.txt", "a").write("more")
assert open(user / "data.txt").read() == "keptmore", "what was written is read back"
(user / "new").mkdir()
(user / "new").mkdir(exist_ok=True)
(user / "new" / "a.txt").write_text("new")
assert (user / "new" / "a.txt").read_text() == "new"
os.remove(user / "sub" / "b.txt")
shutil.rmtree(user / "sub")
os.rename(user / "data.txt", user / "moved.txt")
with open("large.bin", "r+b") as linked:
    linked.write(b"XX")
descriptor = os.open(user / "low.txt", os.O_CREAT | os.O_WRONLY)
os.write(descriptor, b"low")
"""


def digest(folder: Path) -> str:
    """Of all names, contents and times of change."""
    found = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        found.update(str(file.relative_to(folder)).encode())
        if file.is_file():
            found.update(file.read_bytes() + str(file.stat().st_mtime_ns).encode())
    return found.hexdigest()


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "user"
    (folder / "sub").mkdir(parents=True)
    (folder / "data.txt").write_text("kept")
    (folder / "sub" / "b.txt").write_text("b")
    (folder / "large.bin").write_bytes(b"0" * 4096)
    return folder


def test_writes_by_any_path_leave_the_users_files_alone(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "MOST_BYTES_OF_A_FILE", 1000)
    own = tmp_path / "own"
    (own / "outside").mkdir(parents=True)
    Contents(user).copy(own / "copy")
    assert (own / "copy" / "large.bin").is_symlink()
    assert not (own / "copy" / "data.txt").is_symlink()
    before = digest(user)
    path = os.pathsep.join([str(Path(surefoot.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", WRITES, str(user), str(own)], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert digest(user) == before
    assert (own / "copy" / "here.txt").read_text() == "mine"


def test_folders_of_many_files_are_linked_but_sources_are_copied(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user / "package").mkdir()
    (user / "package" / "model.py").write_text("x = 1")
    (user / "package" / "latest").symlink_to("../data.txt")
    monkeypatch.setattr(contents, "MOST_FILES", 1)
    found = Contents(user)
    found.copy(tmp_path / "copy")
    copy = tmp_path / "copy"
    assert (copy / "data.txt").read_text() == "kept"
    assert (copy / "large.bin").is_symlink()
    assert (copy / "sub").is_symlink()
    assert (copy / "package" / "latest").resolve() == copy / "data.txt", "a link to what is copied leads to the copy"
    assert not (copy / "package" / "model.py").is_symlink()
    assert user / "package" / "model.py" in found.copied
    assert user / "sub" / "b.txt" not in found.copied
