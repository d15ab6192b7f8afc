"""An address where runs are kept, by fsspec: a folder, `sftp://…`, `s3://…` and whatever else it knows."""

from __future__ import annotations

import importlib
import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surefoot.runlog.read.error import RunLogError

INDEX = "index"  # a folder of the address; what it lists is there
RUNS = "runs"
RENAMED = ("file", "local", "sftp", "ssh", "smb")  # file systems: a file is whole once it has its name
PART = ".part"


def is_address(text: str) -> bool:
    """Whether it names a place of synced runs: an address, or a folder that some were synced to."""
    return "://" in text or any(Path(text, INDEX).glob("*.parquet"))


class Place:
    """Files below an address. Whatever is put there is whole or not there."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        fsspec: Any = _fsspec()
        try:
            self.files, root = fsspec.core.url_to_fs(self.address)
        except (ImportError, ValueError) as error:
            raise RunLogError(f"{address} can't be reached: {error}.") from None
        self._root = str(root).rstrip("/")
        protocol = self.files.protocol
        self._protocols = (protocol,) if isinstance(protocol, str) else tuple(protocol)

    @property
    def is_local(self) -> bool:
        return "file" in self._protocols

    def path(self, name: str) -> str:
        return posixpath.join(self._root, name)

    def named(self, name: str) -> str:
        """As DuckDB is told, and tells again."""
        return self.path(name) if self.is_local else str(self.files.unstrip_protocol(self.path(name)))

    def put(self, source: Path, name: str) -> None:
        target = self.path(name)
        if not set(self._protocols) & set(RENAMED):  # objects appear when they are complete
            self.files.put_file(str(source), target)
            return
        self.files.makedirs(posixpath.dirname(target), exist_ok=True)
        self.files.put_file(str(source), target + PART)  # the same name again after a cut: nothing is left over
        self.files.mv(target + PART, target)

    def get(self, name: str, target: Path) -> None:
        """Into a file of this machine, whole or not at all."""
        part = target.with_name(target.name + PART)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.files.get_file(self.path(name), str(part))
        part.replace(target)

    def read(self, names: Sequence[str]) -> list[bytes]:
        """Several at once, where the file system can do so."""
        if not names:
            return []
        paths = [self.path(name) for name in names]
        found = self.files.cat(paths)
        return [found] if isinstance(found, bytes) else [found[path] for path in paths]

    def listed(self, folder: str) -> dict[str, Any]:
        """Its files by name, each with what tells that it has changed; none if it is not there."""
        try:
            self.files.invalidate_cache()
            entries = self.files.ls(self.path(folder), detail=True)
        except FileNotFoundError:
            return {}
        marks = ("ETag", "etag", "mtime", "LastModified", "created", "size")
        return {
            posixpath.basename(entry["name"]): [str(entry.get(mark)) for mark in marks]
            for entry in entries
            if entry["type"] == "file"
        }


def _fsspec() -> Any:
    try:
        importlib.import_module("fsspec.core")
        return importlib.import_module("fsspec")
    except ImportError:
        raise RunLogError("addresses need fsspec: pip install 'surefoot[sync]'.") from None
