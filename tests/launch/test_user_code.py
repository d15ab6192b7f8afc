"""What counts as the user's own code."""

import os
from pathlib import Path

import pytest

from surefoot.launch.program import Program
from surefoot.launch.user_code import user_code
from tests.cli.command import write


def test_files_outside_of_libraries_need_no_mention(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "package" / "__init__.py", "raise AssertionError('it must not be imported')")
    assert user_code(Program("train.py")) == ()
    assert user_code(Program("package.train", is_module=True)) == ()
    assert user_code(Program("no_such_package", is_module=True)) == ()


def test_an_installed_program_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "site-packages"
    write(library / "package" / "__init__.py", "raise AssertionError('it must not be imported')")
    write(library / "alone.py", "")
    monkeypatch.syspath_prepend(library)
    monkeypatch.syspath_prepend(tmp_path)  # what the program's folder will replace
    assert user_code(Program("package.train", is_module=True)) == (str(library / "package") + os.sep,)
    assert user_code(Program("alone", is_module=True)) == (str(library / "alone.py"),)
    assert user_code(Program(str(library / "package" / "train.py"))) == (str(library / "package") + os.sep,)
