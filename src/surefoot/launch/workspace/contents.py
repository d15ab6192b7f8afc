"""What a folder holds, and which of it is copied.

Small files are copied, source files always. Large ones, and folders that hold installed packages, are only linked to;
what a program writes through such a link is redirected in its process (`redirect.py`).
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 256 << 20  # copied in all
MOST_BYTES_OF_A_FILE = 32 << 20
MOST_FILES = 5000
LINKED = frozenset({".git", ".hg", "node_modules", "site-packages", "wandb", "mlruns", "lightning_logs"})
LEFT_OUT = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"})


class Contents:
    """Of one folder, as it is now. What can't be read is left out: the program could not read it either."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.copied: set[Path] = set()
        self._folders: list[Path] = []
        self._linked: list[tuple[Path, Path]] = []  # a path in the folder, and where it leads
        self._bytes_left = MOST_BYTES
        self._files_left = MOST_FILES
        self._look(root)

    def copy(self, target: Path) -> None:
        """`target` may be there already, as a folder above another one."""
        for folder in self._folders:
            (target / folder.relative_to(self.root)).mkdir(parents=True, exist_ok=True)
        for file in self.copied:
            with suppress(FileNotFoundError):  # it has been removed since
                shutil.copy2(file, target / file.relative_to(self.root))
        for path, leads_to in self._linked:
            if path != leads_to and leads_to.is_relative_to(self.root):  # the user's own link, to what is copied
                leads_to = target / leads_to.relative_to(self.root)
            link(leads_to, target / path.relative_to(self.root))

    def _look(self, folder: Path) -> None:
        self._folders.append(folder)
        try:
            entries = sorted(os.scandir(folder), key=lambda one: (one.is_dir(), one.name))
        except OSError:
            return
        for entry in entries:
            with suppress(OSError):
                self._entry(entry, Path(entry.path))

    def _entry(self, entry: os.DirEntry[str], path: Path) -> None:
        if entry.is_symlink():
            self._linked.append((path, path.resolve()))
        elif entry.is_dir():
            if entry.name in LINKED or (path / "pyvenv.cfg").exists() or self._is_much_data(path):
                self._linked.append((path, path))
            elif entry.name not in LEFT_OUT:
                self._look(path)
        elif entry.is_file() and os.access(path, os.R_OK):
            self._file(path, entry.stat().st_size)

    def _is_much_data(self, folder: Path) -> bool:
        """More files than may be copied, and no source among them."""
        num = 0
        for _, _, names in os.walk(folder):
            if any(name.endswith(".py") for name in names):
                return False
            num += len(names)
        return num > self._files_left

    def _file(self, path: Path, size: int) -> None:
        is_small = size <= min(MOST_BYTES_OF_A_FILE, self._bytes_left) and self._files_left > 0
        if not is_small and path.suffix != ".py":
            self._linked.append((path, path))
            return
        self._bytes_left -= size
        self._files_left -= 1
        self.copied.add(path)


def link(source: Path, target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source)
