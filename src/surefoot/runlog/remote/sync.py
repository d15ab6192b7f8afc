"""Copy runs that have ended to an address, each once; what a cut has left half-way is not seen, and done again."""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.checksum import file_checksum
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.run import Run, load_run
from surefoot.runlog.read.runs import Runs
from surefoot.runlog.remote.entry import entry_of, signature_of
from surefoot.runlog.remote.index import Entry, read_index, write_index
from surefoot.runlog.remote.place import INDEX, Place
from surefoot.runlog.remote.stage import stage

SOURCE = "sync.json"  # in the folder of runs: what it is called at addresses
COMMIT_SECONDS = 5.0  # between two writes of the index: what was copied since is copied again after a cut

Say = Callable[[str], None]
reached: Callable[[str], None] = lambda point: None  # noqa: E731 - for tests that cut a copy short there


@frozen
class Synced:
    """How many runs were copied, were there already, go on, or could not be copied."""

    copied: int = 0
    known: int = 0
    running: int = 0
    failed: int = 0
    num_bytes: int = 0


def sync(folder: Path, place: Place, say: Say = lambda text: None) -> Synced:
    """The index is written last: only what it names is there."""
    source = source_of(folder)
    with tempfile.TemporaryDirectory(prefix="surefoot-sync-") as made:
        scratch = Path(made)
        before = _known(place, source, scratch)
        entries = dict(before)
        counts = dict.fromkeys(("copied", "known", "running", "failed", "num_bytes"), 0)
        due = time.monotonic() + COMMIT_SECONDS
        is_written = True
        for what, name, entry in _copies(Runs(folder), source, place, entries, scratch, say):
            counts[what] += 1
            if entry is not None:
                entries[name] = entry
                counts["num_bytes"] += sum(size for _, size, _ in entry.files)
                is_written = False
            if not is_written and time.monotonic() > due:
                _commit(place, source, entries, scratch)
                is_written, due = True, time.monotonic() + COMMIT_SECONDS
        if not is_written:
            _commit(place, source, entries, scratch)
    return Synced(**counts)


def source_of(folder: Path) -> str:
    """The name of a folder of runs, the same whenever it is synced, and another one than that of any other."""
    file = folder / SOURCE
    try:
        told = str(json.loads(file.read_text(encoding="utf-8"))["source"])
        if told.isalnum():
            return told
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunLogError(f"{file} can't be read: {error}. It names this folder at addresses.") from None
    made = secrets.token_hex(6)
    try:
        with file.open("x", encoding="utf-8") as stream:
            json.dump({"source": made}, stream)
    except FileExistsError:
        return source_of(folder)
    except OSError as error:
        raise RunLogError(f"{file} can't be written: {error.strerror or error}.") from None
    return made


def _copies(
    runs: Runs, source: str, place: Place, known: dict[str, Entry], scratch: Path, say: Say
) -> Iterator[tuple[str, str, Entry | None]]:
    """What became of each run: counted as what, its name, and its new entry."""
    for name in runs.names():
        folder = runs.folder / name
        before = known.get(name)
        if before is not None and before.signature == signature_of(folder):
            yield "known", name, None
            continue
        try:
            run = load_run(folder)
            if run.status == "running":
                yield "running", name, None
                continue
            signature = signature_of(folder)  # opening it may have brought in what a killed process left
            if before is not None and before.signature == signature:
                yield "known", name, None
                continue
            yield "copied", name, _copy(run, source, signature, place, before, scratch)
        except (RunLogError, OSError) as error:
            say(f"run {name} is not copied: {error}")
            yield "failed", name, None


def _copy(run: Run, source: str, signature: str, place: Place, before: Entry | None, scratch: Path) -> Entry:
    entry = entry_of(run, source, signature)
    there = {name: (size, crc) for name, size, crc in ([] if before is None else before.files)}
    with tempfile.TemporaryDirectory(dir=scratch) as made:
        staged = Path(made, "run")
        files: list[list[Any]] = []
        for file in stage(run, staged):
            name = file.relative_to(staged).as_posix()
            size, crc = file.stat().st_size, file_checksum(file)
            if there.get(name) != (size, crc):
                reached("put")
                place.put(file, f"{entry.folder}/{name}")
            files.append([name, size, crc])
    return Entry(**{one: getattr(entry, one) for one in entry.__dataclass_fields__} | {"files": files})


def _known(place: Place, source: str, scratch: Path) -> dict[str, Entry]:
    """What is there already; runs that were deleted here stay there."""
    if f"{source}.parquet" not in place.listed(INDEX):
        return {}
    target = scratch / "before.parquet"
    place.get(f"{INDEX}/{source}.parquet", target)
    return {entry.run: entry for entry in read_index(target)}


def _commit(place: Place, source: str, entries: dict[str, Entry], scratch: Path) -> None:
    reached("commit")
    target = scratch / "index.parquet"
    write_index(list(entries.values()), target)
    place.put(target, f"{INDEX}/{source}.parquet")
