"""What a program writes outside of its copied folder goes to a place of its own, and is read back from there.

This covers Python's file functions and `torch.save`. What a C library opens by itself, by an absolute path, is not.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_local = threading.local()  # whether this thread is inside a function of ours
_installed: list[Redirect] = []
WRITES = frozenset("wax+")
CHANGES_FIRST = ("mkdir", "rmdir", "remove", "unlink", "truncate", "utime", "chmod")
CHANGES_BOTH = ("rename", "replace", "link", "symlink")
LOOKS = ("stat", "lstat", "listdir", "scandir", "access", "chdir")


class Redirect:
    """`own` is where the program may write, `outside` a folder in it for what it writes elsewhere.

    What lies in the folder for temporary files now is the user's; what a process of the program makes there later is
    free to all of them.
    """

    def __init__(self, own: str, outside: str) -> None:
        self.has_written = False  # or tried to, anywhere
        self._outside = Path(outside)
        self._free = [_real(own), "/dev", "/proc", "/sys"]
        self._temporary = _real(tempfile.gettempdir())
        self._before = {entry.name for entry in Path(self._temporary).iterdir()}

    def install(self) -> None:
        """Once in a process, and in what it forks."""
        if _installed:
            return
        _installed.append(self)
        original_open = builtins.open
        builtins.open = io.open = self._opening(original_open)
        self._wrap_os_open()
        setattr(shutil, "_use_fd_functions", False)  # noqa: B010  # rmtree goes by paths, then, which are redirected
        for name in CHANGES_FIRST:
            self._wrap(os, name, 1, True)
        for name in CHANGES_BOTH:
            self._wrap(os, name, 2, True)
        for name in LOOKS:
            self._wrap(os, name, 1, False)

    def install_torch(self, torch: Any) -> None:
        """Checkpoints are written in C++, where nothing is wrapped."""
        self._wrap(torch, "save", 2, True)
        self._wrap(torch.serialization, "save", 2, True)

    def install_with_torch(self) -> None:
        import torch

        if not _installed:
            self.install()
            self.install_torch(torch)

    def path(self, path: Any, *, is_written: bool) -> Any:
        """Where that path leads for this program."""
        self.has_written |= is_written
        if getattr(_local, "is_inside", False) or not isinstance(path, str | bytes | os.PathLike):
            return path
        _local.is_inside = True
        try:
            return self._placed(path, is_written)
        except (OSError, ValueError):
            return path
        finally:
            _local.is_inside = False

    def _placed(self, path: Any, is_written: bool) -> Any:
        real = _real(os.fsdecode(os.fspath(path)))
        if self._is_free(real):
            return path
        elsewhere = self._outside / real.lstrip("/").replace(":", "")
        if not is_written:
            is_made = os.path.lexists(elsewhere) and not (elsewhere.is_dir() and os.path.lexists(real))
            return str(elsewhere) if is_made else path
        elsewhere.parent.mkdir(parents=True, exist_ok=True)
        if not elsewhere.exists():
            with suppress(OSError):
                if os.path.isfile(real):  # noqa: PTH113
                    shutil.copy2(real, elsewhere)
                elif os.path.isdir(real):  # noqa: PTH112
                    elsewhere.mkdir()
        return str(elsewhere)

    def _is_free(self, real: str) -> bool:
        if any(real == own or real.startswith(own + os.sep) for own in self._free):
            return True
        if not real.startswith(self._temporary + os.sep):
            return False
        return Path(real).relative_to(self._temporary).parts[0] not in self._before  # made since: temporary files

    def _opening(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:  # noqa: A001
            if not isinstance(file, int):
                file = self.path(file, is_written=bool(WRITES & set(mode)))
            return original(file, mode, *args, **kwargs)

        return open

    def _wrap_os_open(self) -> None:
        original = os.open

        def open(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:  # noqa: A001
            is_written = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
            if kwargs.get("dir_fd") is None:
                path = self.path(path, is_written=is_written)
            return original(path, flags, *args, **kwargs)

        os.open = open

    def _wrap(self, owner: Any, name: str, num_paths: int, is_written: bool) -> None:
        original = getattr(owner, name)

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("dir_fd") is None:
                args = tuple(
                    self.path(one, is_written=is_written) if i < num_paths else one for i, one in enumerate(args)
                )
            return original(*args, **kwargs)

        wrapper.__name__ = name
        setattr(owner, name, wrapper)


def _real(path: str | Path) -> str:
    return os.path.realpath(path)
