"""A copy of the folders that a program works in, so that a trial run reads and writes nothing of the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from surefoot.launch.program import Program

LIMIT_BYTES = 512 * 1024**2  # a copy is made for every trial
LEVELS_ABOVE = 3  # folders whose other content `../data` may reach
LINKED = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "site-packages"})  # not written by a training
LEFT_OUT = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"})


class WorkspaceError(Exception):
    """The program's folders can't be copied."""


class Workspace:
    """Makes copies of the working folder, and of the script's folder if it lies elsewhere.

    `linked` are paths that the program only reads: they are linked into the copy.
    """

    def __init__(self, program: Program, linked: Sequence[Path] = ()) -> None:
        here = Path.cwd().resolve()
        roots = [here]
        if not program.is_module and not (script := program.folder.resolve()).is_relative_to(here):
            roots = [script] if here.is_relative_to(script) else [here, script]
        self.roots = roots
        self._here = here
        self._linked = {path.resolve() for path in linked}
        for root in roots:
            self._check_size(root)

    def copy(self, sources: Mapping[Path, str]) -> "Copy":
        """With these files changed."""
        top = Path(tempfile.mkdtemp(prefix="surefoot-fix-")).resolve()
        try:
            for root in self.roots:
                self._copy_root(root, _inside(top, root))
            for root in self.roots:
                _link_siblings(root, _inside(top, root))
            for file, text in sources.items():
                _inside(top, file).write_bytes(text.encode())
        except shutil.Error as error:  # of several files
            shutil.rmtree(top, ignore_errors=True)
            raise WorkspaceError(f"the program's folder can't be copied: {error.args[0][0][2]}") from None
        except OSError as error:
            shutil.rmtree(top, ignore_errors=True)
            raise WorkspaceError(f"the program's folder can't be copied: {error}") from None
        return Copy(top, self.roots, self._here)

    def holds(self, file: Path) -> bool:
        """Whether the copy has it, and not as a link."""
        inside = next((file.relative_to(root) for root in self.roots if file.is_relative_to(root)), None)
        if inside is None or LINKED.intersection(inside.parts):
            return False
        return not any(file.is_relative_to(path) for path in self._linked)

    def _check_size(self, root: Path) -> None:
        total = 0
        for folder, names, files in os.walk(root):
            here = Path(folder)
            names[:] = [name for name in names if not self._is_apart(here / name)]
            for name in files:
                file = here / name
                if not file.is_symlink() and file.is_file() and not self._is_apart(file):
                    total += file.stat().st_size
            if total > LIMIT_BYTES:
                raise WorkspaceError(
                    f"a patch is tried in a copy of {str(root)!r}, which holds more than {LIMIT_BYTES // 1024**2} MB. "
                    "Start from the project's own folder, or name large data that the program only reads: "
                    "--link PATH."
                )

    def _is_apart(self, path: Path) -> bool:
        return path.name in LINKED or path.name in LEFT_OUT or path in self._linked

    def _copy_root(self, root: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(root, target, symlinks=True, ignore=self._ignored, dirs_exist_ok=True)
        for folder, names, files in os.walk(root):
            here = Path(folder)
            for name in (*names, *files):
                if here / name in self._linked or name in LINKED:
                    _link(here / name, target / (here / name).relative_to(root))
            names[:] = [name for name in names if not self._is_apart(here / name)]

    def _ignored(self, folder: str, names: list[str]) -> list[str]:
        here = Path(folder)
        return [name for name in names if self._is_apart(here / name) or _is_special(here / name)]


class Copy:
    """One copy. Close it when the trial is over."""

    def __init__(self, top: Path, roots: Sequence[Path], here: Path) -> None:
        self.top = top
        self._roots = roots
        self.folder = _inside(top, here)

    def __enter__(self) -> "Copy":
        return self

    def __exit__(self, *error: Any) -> None:
        shutil.rmtree(self.top, ignore_errors=True)

    def path(self, text: str) -> str:
        """A path or an argument such as `--out=/home/me/project/out`, as it is called in the copy."""
        name, equals, value = text.rpartition("=") if text.startswith("-") else ("", "", text)
        if not os.path.isabs(value):  # noqa: PTH117
            return text
        real = Path(value).resolve() if Path(value).exists() else Path(value)
        for root in self._roots:
            if real.is_relative_to(root):
                return f"{name}{equals}{_inside(self.top, real)}"
        return text

    def unmapped(self, text: str) -> str:
        """A text in which paths are the user's own again."""
        return text.replace(str(self.top), "")


def _inside(top: Path, path: Path) -> Path:
    return top.joinpath(*path.parts[1:])


def _is_special(path: Path) -> bool:
    """A socket or a pipe, which can't be copied."""
    return not (path.is_symlink() or path.is_file() or path.is_dir())


def _link(source: Path, target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source)


def _link_siblings(root: Path, target: Path) -> None:
    """So that the program finds `../data` from its copied folder."""
    for _ in range(LEVELS_ABOVE):
        root, target = root.parent, target.parent
        if root in (Path.home().parent, Path(root.anchor), Path(tempfile.gettempdir())):
            return
        for sibling in root.iterdir():
            _link(sibling, target / sibling.name)
