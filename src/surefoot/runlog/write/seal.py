"""When scalars are sealed: in long runs, some megabytes at a time, without holding up the commits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from surefoot.runlog.write.segment import (
    Segment,
    bring_in,
    folder_of,
    list_segments,
    merge_segments,
    seal_chunks,
    sweep,
)  # fmt: skip
from surefoot.runlog.write.store import Store

SEAL_BYTES = 8 * 2**20  # of chunks: about a million values. Smaller runs stay in SQLite
CLOSE_BYTES = 4 * 2**20  # what is worth sealing when the run ends: it takes DuckDB, which takes 60 MB
SMALL_ROWS = 4_000_000  # segments with fewer are merged,
MERGED = 4  # so many at a time
GRACE_SECONDS = 60.0  # for readers that still have the names of merged files
RETRY_SECONDS = 60.0
CLOSE_SECONDS = 60.0  # at most, for what is under way when the run ends


class Job:
    """A segment that is being written by a thread of its own."""

    def __init__(self, write: Callable[[], Segment], replaced: Sequence[Segment] = ()) -> None:
        self.replaced = list(replaced)
        self.segment: Segment | None = None
        self.error: Exception | None = None
        self._write = write
        self._thread = threading.Thread(target=self._run, name="surefoot-seal", daemon=True)
        self._thread.start()

    def is_done(self, wait_seconds: float = 0.0) -> bool:
        self._thread.join(wait_seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self.segment = self._write()
        except Exception as error:  # DuckDB has errors of its own
            self.error = error


class Sealer:
    def __init__(self, store: Store, tell: Callable[[str, str], object]) -> None:
        self._store = store
        self._tell = tell
        self._job: Job | None = None
        self._retry_at = 0.0
        self._gone: list[tuple[float, Path]] = []
        sweep(store)
        self._number = max((int(Path(s.file).stem) for s in list_segments(store.connection)), default=0)

    def look(self) -> None:
        """After each commit: bring in what is ready, start what is due."""
        if self._job is not None and self._job.is_done():
            self._finish(self._job)
        if self._job is None and time.monotonic() >= self._retry_at:
            self._job = self._next(SEAL_BYTES)
        while self._gone and self._gone[0][0] < time.monotonic():
            with suppress(OSError):
                self._gone.pop(0)[1].unlink()

    def close(self) -> None:
        """Finish what is under way, seal the rest if it is worth it, and clean up."""
        deadline = time.monotonic() + CLOSE_SECONDS
        self._retry_at = 0.0
        while time.monotonic() < deadline:
            self._job = self._job or self._next(CLOSE_BYTES)
            if self._job is None:
                sweep(self._store)
                return
            if self._job.is_done(max(0.0, deadline - time.monotonic())) and not self._finish(self._job):
                return

    def _next(self, least_bytes: int) -> Job | None:
        store, file = self._store, self._store.file
        name = f"{self._number + 1:06d}.parquet"
        if store.unsealed_bytes >= least_bytes:
            self._number += 1
            last = store.last_chunk_within(2 * SEAL_BYTES)
            return Job(lambda: seal_chunks(file, name, last))
        small = self._small()
        if len(small) >= MERGED:
            self._number += 1
            return Job(lambda: merge_segments(file, name, small), small)
        return None

    def _small(self) -> list[Segment]:
        """The first few neighbours that are worth merging."""
        found: list[Segment] = []
        for segment in list_segments(self._store.connection):
            found = [*found, segment] if segment.num_rows < SMALL_ROWS else []
            if len(found) == MERGED:
                break
        return found

    def _finish(self, job: Job) -> bool:
        self._job = None
        error = job.error
        try:
            if job.segment is not None:
                bring_in(self._store, job.segment, job.replaced)
                self._store.give_back_pages()
        except Exception as late:
            error = late
        self._store.count_unsealed()
        if error is not None:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._tell("can't be sealed at present; nothing is lost.", str(error))
            return False
        until = time.monotonic() + GRACE_SECONDS
        self._gone += [(until, folder_of(self._store.file) / old.file) for old in job.replaced]
        return True
