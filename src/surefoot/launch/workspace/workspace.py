"""Copies of the folders that a program works in, in which it may write what it likes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from surefoot.launch.program import Program
from surefoot.launch.workspace.contents import Contents, link
from surefoot.launch.workspace.redirect import Redirect

LEVELS_ABOVE = 3  # folders whose other content `../data` may reach
COPY, OUTSIDE = "copy", "outside"


class WorkspaceError(Exception):
    """The program's folders can't be copied."""


class Workspace:
    """Copies `folder`, in which the program starts, and `more` folders, as that of a script that lies elsewhere."""

    def __init__(self, folder: Path, more: Iterable[Path] = ()) -> None:
        self.folder = folder.resolve()
        found = {self.folder, *(one.resolve() for one in more)}
        inner = {one for one in found for other in found if one != other and one.is_relative_to(other)}
        self.roots = sorted(found - inner)
        self._held = {file for root in self.roots for file in Contents(root).copied}

    @classmethod
    def of(cls, program: Program) -> Workspace:
        return cls(Path.cwd(), () if program.is_module else (program.folder,))

    def copy(self, place: Path, sources: Mapping[Path, str] | None = None) -> Copy:
        """In `place`, an empty folder; with these files changed."""
        copy = Copy(place.resolve(), self.roots, self.folder)
        try:
            copy.outside.mkdir()
            for root in self.roots:
                Contents(root).copy(copy.inside(root))
            for root in self.roots:
                _link_siblings(root, copy.inside(root))
            for file, text in (sources or {}).items():
                copy.inside(file).write_bytes(text.encode())
        except OSError as error:
            raise WorkspaceError(f"the program's folder can't be copied: {error}") from None
        return copy

    def holds(self, file: Path) -> bool:
        """Whether a copy has it, and not as a link."""
        return file in self._held


class Copy:
    """`top` has all folders by their own paths, so that those beside them are found, too."""

    def __init__(self, place: Path, roots: list[Path], folder: Path) -> None:
        self.place = place
        self.top = place / COPY
        self.outside = place / OUTSIDE
        self.folder = self.inside(folder)
        self._roots = roots

    def inside(self, path: Path) -> Path:
        return self.top.joinpath(*path.parts[1:])

    def redirect(self) -> Redirect:
        """For the program's processes: what it writes elsewhere goes to `outside`."""
        return Redirect(str(self.place), str(self.outside))

    def path(self, text: str) -> str:
        """A path or an argument such as `--out=/home/me/project/out`, as it is called in the copy."""
        name, equals, value = text.rpartition("=") if text.startswith("-") else ("", "", text)
        if not os.path.isabs(value):  # noqa: PTH117
            return text
        real = Path(value).resolve() if Path(value).exists() else Path(value)
        if any(real.is_relative_to(root) for root in self._roots):
            return f"{name}{equals}{self.inside(real)}"
        return text

    def unmapped(self, text: str) -> str:
        """A text in which paths are the user's own again."""
        return text.replace(str(self.top), "")


def _link_siblings(root: Path, target: Path) -> None:
    """So that the program finds `../data` from its copied folder."""
    for _ in range(LEVELS_ABOVE):
        root, target = root.parent, target.parent
        if root in (Path.home().parent, Path(root.anchor), Path(tempfile.gettempdir()).resolve()):
            return
        try:
            siblings = list(root.iterdir())
        except OSError:  # it may be entered, not listed
            continue
        for sibling in siblings:
            link(sibling, target / sibling.name)
