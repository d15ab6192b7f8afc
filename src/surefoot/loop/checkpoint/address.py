"""Where checkpoints lie: a path on a disk of this machine, or an address that fsspec knows, such as `s3://bucket/run`."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import IO, Any


class Address:
    """What checkpoints ask of a `Path`, of a file system that fsspec knows."""

    def __init__(self, fs: Any, path: str) -> None:
        self._fs = fs
        self._path = path.rstrip("/")

    def __str__(self) -> str:
        return str(self._fs.unstrip_protocol(self._path))

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __truediv__(self, name: str) -> Address:
        return Address(self._fs, f"{self._path}/{name}")

    @property
    def name(self) -> str:
        return posixpath.basename(self._path)

    @property
    def stem(self) -> str:
        return posixpath.splitext(self.name)[0]

    @property
    def suffix(self) -> str:
        return posixpath.splitext(self.name)[1]

    @property
    def parent(self) -> Address:
        return Address(self._fs, posixpath.dirname(self._path))

    def with_name(self, name: str) -> Address:
        return self.parent / name

    def open(self, mode: str) -> IO[bytes]:
        file: IO[bytes] = self._fs.open(self._path, mode)
        return file

    def size(self) -> int:
        self._fs.invalidate_cache()  # others write there, too
        return int(self._fs.size(self._path))

    def exists(self) -> bool:
        self._fs.invalidate_cache()
        return bool(self._fs.exists(self._path))

    def is_dir(self) -> bool:
        self._fs.invalidate_cache()
        return bool(self._fs.isdir(self._path))

    def iterdir(self) -> Iterator[Address]:
        self._fs.invalidate_cache()
        return (Address(self._fs, path) for path in self._fs.ls(self._path, detail=False))

    def glob(self, pattern: str) -> Iterator[Address]:
        return (one for one in self.iterdir() if fnmatchcase(one.name, pattern)) if self.is_dir() else iter(())

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        self._fs.makedirs(self._path, exist_ok=exist_ok)

    def touch(self) -> None:
        self._fs.pipe_file(self._path, b"")

    def unlink(self, *, missing_ok: bool = False) -> None:
        try:
            self._fs.rm_file(self._path)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def become(self, other: Address) -> None:
        self._fs.mv(self._path, other._path)


Place = Path | Address


def place_of(given: str | PathLike[str]) -> Place:
    """Of a path, an address, or `file://…`, which is a path."""
    text = os.fspath(given)
    if "://" not in text:
        return Path(given)
    import fsspec  # type: ignore[import-untyped]

    try:
        fs, path = fsspec.core.url_to_fs(text)
    except (ImportError, ValueError) as error:
        raise ValueError(f"{text} can't be opened: {error}") from None
    return Path(path) if "file" in _protocols(fs) else Address(fs, path)


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def size_of(place: Place) -> int:
    return place.size() if isinstance(place, Address) else place.stat().st_size


def sync(file: IO[bytes], place: Place) -> None:
    """Before a name points at it: a crash of the machine must not leave an empty file."""
    if isinstance(place, Path):
        file.flush()
        os.fsync(file.fileno())


def replace(old: Place, new: Place) -> None:
    """`new` holds at every moment what it held before, or all of `old`, as far as the file system can promise that."""
    if isinstance(old, Address) and isinstance(new, Address):
        old.become(new)
        return
    assert isinstance(old, Path)
    assert isinstance(new, Path)
    os.replace(old, new)  # noqa: PTH105 - the same in one call that tests can intercept
    _sync_folder(new.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last. Windows can't open a folder; there the file system does it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
