"""Programs that are tried read and write copies."""

import os
import shutil
from pathlib import Path

import pytest

from surefoot.launch.program import Program
from surefoot.launch.workspace.workspace import Workspace, WorkspaceError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "large.bin").write_bytes(b"x" * 4096)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "pyvenv.cfg").touch()
    (folder / "train.py").write_text("x = 1\n")
    (tmp_path / "beside.txt").write_text("read by ../beside.txt")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def test_copy_has_the_patched_text_and_reaches_what_lies_beside(project: Path, place: Path) -> None:
    copy = Workspace.of(Program("train.py")).copy(place, {project / "train.py": "x = 2\n"})
    assert (copy.folder / "train.py").read_text() == "x = 2\n"
    assert (copy.folder / ".." / "beside.txt").read_text() == "read by ../beside.txt"
    assert (copy.folder / ".venv").is_symlink()
    (copy.folder / "data" / "large.bin").write_bytes(b"changed")
    assert (project / "train.py").read_text() == "x = 1\n"
    assert (project / "data" / "large.bin").read_bytes() == b"x" * 4096


def test_paths_of_the_project_are_those_of_the_copy_and_back(project: Path, place: Path) -> None:
    copy = Workspace.of(Program("train.py")).copy(place)
    assert copy.path(f"--out={project}/out") == f"--out={copy.folder}/out"
    assert copy.path(str(project / "train.py")) == str(copy.folder / "train.py")
    assert copy.path("relative/file") == "relative/file"
    assert copy.path("/nowhere/else") == "/nowhere/else"
    assert copy.unmapped(f"see {copy.folder}/train.py:3") == f"see {project}/train.py:3"


def test_what_is_linked_is_not_held(project: Path) -> None:
    space = Workspace.of(Program("train.py"))
    assert space.holds(project / "train.py")
    assert not space.holds(project / ".venv" / "helper.py")
    assert not space.holds(project.parent / "other.py")


def test_script_elsewhere_is_copied_with_its_folder(project: Path, tmp_path: Path, place: Path) -> None:
    script = tmp_path / "scripts" / "train.py"
    script.parent.mkdir()
    script.write_text("x = 3\n")
    copy = Workspace.of(Program(str(script))).copy(place)
    assert Path(copy.path(str(script))).read_text() == "x = 3\n"
    assert os.listdir(copy.folder) == os.listdir(project)  # noqa: PTH208


def test_what_cannot_be_copied_is_named(project: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    space = Workspace.of(Program("train.py"))
    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(WorkspaceError, match=r"can't be copied: .*No space left"):
        space.copy(place)
