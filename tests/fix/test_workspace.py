"""Trial runs read and write copies."""

import os
import shutil
from pathlib import Path

import pytest

from surefoot.fix import workspace
from surefoot.fix.workspace import Workspace, WorkspaceError
from surefoot.launch.program import Program


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "large.bin").write_bytes(b"x" * 4096)
    (folder / ".venv").mkdir()
    (folder / "train.py").write_text("x = 1\n")
    (tmp_path / "beside.txt").write_text("read by ../beside.txt")
    monkeypatch.chdir(folder)
    return folder


def test_copy_has_the_patched_text_and_reaches_what_lies_beside(project: Path) -> None:
    space = Workspace(Program("train.py"))
    with space.copy({project / "train.py": "x = 2\n"}) as copy:
        assert (copy.folder / "train.py").read_text() == "x = 2\n"
        assert (copy.folder / ".." / "beside.txt").read_text() == "read by ../beside.txt"
        assert (copy.folder / ".venv").is_symlink()
        (copy.folder / "data" / "large.bin").write_bytes(b"changed")
    assert not copy.top.exists()
    assert (project / "train.py").read_text() == "x = 1\n"
    assert (project / "data" / "large.bin").read_bytes() == b"x" * 4096


def test_paths_of_the_project_are_those_of_the_copy_and_back(project: Path) -> None:
    with Workspace(Program("train.py")).copy({}) as copy:
        assert copy.path(f"--out={project}/out") == f"--out={copy.folder}/out"
        assert copy.path(str(project / "train.py")) == str(copy.folder / "train.py")
        assert copy.path("relative/file") == "relative/file"
        assert copy.path("/nowhere/else") == "/nowhere/else"
        assert copy.unmapped(f"see {copy.folder}/train.py:3") == f"see {project}/train.py:3"


def test_too_large_a_folder_is_refused_unless_data_is_linked(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "LIMIT_BYTES", 1024)
    with pytest.raises(WorkspaceError, match="--link PATH"):
        Workspace(Program("train.py"))
    space = Workspace(Program("train.py"), linked=[Path("data")])
    with space.copy({}) as copy:
        assert (copy.folder / "data").is_symlink()
    assert space.holds(project / "train.py")
    assert not space.holds(project / "data" / "helper.py")


def test_script_elsewhere_is_copied_with_its_folder(project: Path, tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "train.py"
    script.parent.mkdir()
    script.write_text("x = 3\n")
    with Workspace(Program(str(script))).copy({}) as copy:
        assert Path(copy.path(str(script))).read_text() == "x = 3\n"
        assert os.listdir(copy.folder) == os.listdir(project)  # noqa: PTH208


def test_what_cannot_be_copied_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(Program("train.py"))
    with pytest.raises(WorkspaceError, match="No such file"):
        space.copy({project / "missing" / "train.py": "x = 2\n"})

    def refuse(*args: object, **options: object) -> None:
        raise shutil.Error([("data", "copy", "Permission denied: 'data'")])

    monkeypatch.setattr(shutil, "copytree", refuse)
    with pytest.raises(WorkspaceError, match="can't be copied: Permission denied: 'data'"):
        space.copy({})
