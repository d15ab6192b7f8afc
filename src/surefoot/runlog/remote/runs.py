"""Runs at an address: listed and asked by the index and by DuckDB where they are; one that is opened is copied here."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.runlog.checksum import file_checksum
from surefoot.runlog.read.error import RunLogError, Say, warn_of
from surefoot.runlog.read.pick import pick
from surefoot.runlog.read.run import Run, load_run
from surefoot.runlog.remote.index import LIGHT, Entry, read_index
from surefoot.runlog.remote.place import INDEX, Place

if TYPE_CHECKING:
    from surefoot.runlog.read.sql.answer import Answer

MOST_KEPT = 5_000_000_000  # bytes of runs that were opened; the oldest go first
FRESH_SECONDS = 1.0  # for which an index is not looked at again
SMALL_BYTES = 2**18  # of a segment that is fetched whole: that takes one request, and reading it there several
AT_ONCE = 500  # of these
SHORT = 6  # letters of a source, to tell runs of one name apart


class RemoteRuns:
    """All runs that were synced to an address, the oldest first. `cache` is a folder of this machine."""

    def __init__(self, address: str, cache: Path | None = None) -> None:
        self.place = Place(address)
        digest = hashlib.sha256(self.place.address.encode()).hexdigest()[:16]
        self.cache = (cache or _cache_folder()) / digest
        self._marks: dict[str, Any] = {}
        self._fresh_until = 0.0
        self._verified: set[tuple[Path, int, int, int]] = set()
        self._lock = threading.Lock()
        self.refresh()
        if not self._marks:
            raise RunLogError(
                f"no runs were synced to {address} yet. `surefoot sync RUNS {address}` copies some there."
            )

    def refresh(self) -> bool:
        """Fetch what has changed of the indexes; whether anything has."""
        with self._lock:
            if time.monotonic() < self._fresh_until:
                return False
            marks = self.place.listed(INDEX)
            self._fresh_until = time.monotonic() + FRESH_SECONDS
            wanted = [name for name in marks if name.endswith(".parquet") and marks[name] != self._marks.get(name)]
            folder = self.cache / INDEX
            folder.mkdir(parents=True, exist_ok=True)
            contents = self.place.read([f"{INDEX}/{name}" for name in wanted])
            for name, content in zip(wanted, contents, strict=True):
                part = folder / f"{name}.{os.getpid()}.part"
                part.write_bytes(content)
                part.replace(folder / name)
            is_new = bool(wanted) or marks.keys() != self._marks.keys()
            self._marks = marks
            return is_new

    def entries(self, parts: Sequence[str] = LIGHT) -> dict[str, Entry]:
        """By name, with these parts, of which one is the summary.

        The same run from two folders is one; two runs of one name are told apart by their source.
        """
        self.refresh()
        distinct: dict[tuple[str, str], Entry] = {}
        listed = [self.cache / INDEX / name for name in sorted(self._marks) if name.endswith(".parquet")]
        for entry in (one for file in listed for one in read_index(file, parts)):
            distinct.setdefault((entry.run, str(entry.summary.get("ids"))), entry)
        found: dict[str, Entry] = {}
        for (name, _), entry in distinct.items():
            found[name if name not in found else f"{name}@{entry.source[:SHORT]}"] = entry
        return dict(sorted(found.items()))

    def names(self) -> list[str]:
        return list(self.entries())

    def fetch(self, name: str, entry: Entry) -> Path:
        """The folder of this machine that the run was copied to."""
        folder = self._home(name, entry)
        for file, size, crc in entry.files:
            target = folder / file
            if _is_there(target, size, crc):
                continue
            try:
                self.place.get(f"{entry.folder}/{file}", target)
            except OSError as error:
                raise RunLogError(f"{entry.folder}/{file} of {self.place.address} can't be read: {error}") from None
        now = time.time()
        os.utime(folder, (now, now))
        self._make_room(folder)
        return folder

    def segments(self, entries: Mapping[str, Entry], say: Say) -> dict[tuple[str, str], str]:
        """Where to read them, by run and file: small ones are fetched, many at once, others stay where they are.

        Those that are damaged are left out. Large ones of other machines are read in part, and can't be verified.
        """
        found: dict[tuple[str, str], str] = {}
        wanted: dict[str, Path] = {}
        known: dict[tuple[str, str], tuple[Path, int, int]] = {}
        for name, entry in entries.items():
            for file, size, crc in entry.files:
                there, here = f"{entry.folder}/{file}", self._home(name, entry) / file
                if ".segments/" not in file:
                    continue
                if self.place.is_local:
                    found[name, file] = self.place.named(there)
                    known[name, file] = Path(self.place.path(there)), size, crc
                    continue
                if size > SMALL_BYTES:
                    found[name, file] = self.place.named(there)
                    continue
                found[name, file] = str(here)
                known[name, file] = here, size, crc
                if not _is_there(here, size, crc):
                    wanted[there] = here
        listed = list(wanted)
        for at in range(0, len(listed), AT_ONCE):
            some = listed[at : at + AT_ONCE]
            for there, content in zip(some, self.place.read(some), strict=True):
                wanted[there].parent.mkdir(parents=True, exist_ok=True)
                part = wanted[there].with_name(f"{wanted[there].name}.{os.getpid()}.part")
                part.write_bytes(content)
                part.replace(wanted[there])
        if wanted:
            self._make_room()
        for key, (copy, size, crc) in known.items():
            if not self._is_verified(copy, size, crc):
                say(f"{copy} is damaged or missing: its values are left out.")
                del found[key]
        return found

    def _is_verified(self, file: Path, size: int, crc: int) -> bool:
        """Read through once: segments never change."""
        with suppress(OSError):
            seen = (file, file.stat().st_mtime_ns, size, crc)
            if seen not in self._verified and _is_there(file, size, crc):
                self._verified.add(seen)
            return seen in self._verified
        return False

    def _home(self, name: str, entry: Entry) -> Path:
        return self.cache / "runs" / entry.source / name

    def open(self, name: str) -> Run:
        """A run by its whole name."""
        return load_run(self.fetch(name, self.entries(("summary", "files"))[name]))

    def sql(self, query: str, **limits: Any) -> Answer:
        """Ask all runs where they are."""
        from surefoot.runlog.remote.sql import ask_remote

        answer = ask_remote(self, query, **limits)
        warn_of(answer.problems)
        return answer

    def load(self) -> Iterator[Run]:
        """All of them, copied here."""
        entries = self.entries(("summary", "files"))
        return (load_run(self.fetch(name, entry)) for name, entry in entries.items())

    def __getitem__(self, name: str) -> Run:
        return self.open(pick(name, self.names(), self.place.address))

    def __iter__(self) -> Iterator[Run]:
        return self.load()

    def __len__(self) -> int:
        return len(self.entries())

    def __repr__(self) -> str:
        return f"<{len(self)} runs at {self.place.address}>"

    def _make_room(self, kept: Path | None = None) -> None:
        folders = sorted(self.cache.glob("runs/*/*"), key=lambda one: one.stat().st_mtime, reverse=True)
        room = MOST_KEPT
        for folder in folders:
            room -= sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            if room < 0 and folder != kept:
                with suppress(OSError):
                    shutil.rmtree(folder)


def _is_there(file: Path, size: int, crc: int) -> bool:
    return file.is_file() and file.stat().st_size == size and file_checksum(file) == crc


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "surefoot" / "remote"
