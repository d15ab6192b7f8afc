"""A copy of the working directory, in which a program may write what it likes.

Small files are copied. Large ones, and folders that hold installed packages, are only linked to; what a program writes
through such a link, or by an absolute path, is redirected in its process (`redirect.py`).
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 256 << 20  # copied in all
MOST_BYTES_OF_A_FILE = 32 << 20
MOST_FILES = 5000
LINKED = frozenset({".git", ".hg", "node_modules", "site-packages", "__pycache__", "wandb", "mlruns", "lightning_logs"})


def copy_folder(source: Path, target: Path) -> None:
    """`target` does not exist yet. What can't be read is left out: the program could not read it either."""
    _Copy().folder(source, target)


class _Copy:
    def __init__(self) -> None:
        self._bytes_left = MOST_BYTES
        self._files_left = MOST_FILES

    def folder(self, source: Path, target: Path) -> None:
        target.mkdir()
        with suppress(OSError):
            for entry in sorted(os.scandir(source), key=lambda one: (one.is_dir(), one.name)):
                with suppress(OSError):
                    self._entry(entry, target / entry.name)

    def _entry(self, entry: os.DirEntry[str], target: Path) -> None:
        if entry.is_symlink():
            target.symlink_to(Path(entry.path).resolve())
        elif entry.is_dir():
            is_linked = entry.name in LINKED or Path(entry.path, "pyvenv.cfg").exists() or self._files_left <= 0
            if is_linked:
                target.symlink_to(Path(entry.path).absolute())
            else:
                self.folder(Path(entry.path), target)
        elif entry.is_file():
            self._file(entry, target)

    def _file(self, entry: os.DirEntry[str], target: Path) -> None:
        size = entry.stat().st_size
        if size > MOST_BYTES_OF_A_FILE or size > self._bytes_left or self._files_left <= 0:
            target.symlink_to(Path(entry.path).absolute())
            return
        self._bytes_left -= size
        self._files_left -= 1
        shutil.copy2(entry.path, target)
