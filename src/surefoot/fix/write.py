"""Write patched files: all of them or none, and never a part of one."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path


class ChangedError(Exception):
    """A file is not what it was when it was patched."""


def apply(texts: Mapping[Path, str], originals: Mapping[Path, str]) -> None:
    """Put the patched texts in place of the files. Raises OSError or ChangedError before any of them is touched."""
    ready: list[tuple[Path, Path]] = []
    try:
        for file, text in texts.items():
            if file.read_bytes() != originals[file].encode():
                raise ChangedError(
                    f"{str(file)!r} was changed meanwhile, so nothing was written. Run surefoot fix again."
                )
            ready.append((_beside(file, text), file))
        for new, file in ready:
            os.replace(new, file)  # noqa: PTH105
    finally:
        for new, _ in ready:
            with contextlib.suppress(FileNotFoundError):
                new.unlink()


def write(file: Path, text: str) -> None:
    """One file, new or old."""
    new = _beside(file, text)
    try:
        os.replace(new, file)  # noqa: PTH105
    finally:
        with contextlib.suppress(FileNotFoundError):
            new.unlink()


def _beside(file: Path, text: str) -> Path:
    """A temporary file in the same folder, with the rights of the one it will replace."""
    file = file.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(text.encode())
        if file.exists():
            shutil.copymode(file, new)
        else:
            new.chmod(0o644)
    except BaseException:
        new.unlink()
        raise
    return new
