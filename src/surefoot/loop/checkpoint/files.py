"""The files of one checkpoint, one for each rank that saved it: verified by one rank each, read as far as needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.loop.checkpoint.address import Place
from surefoot.loop.checkpoint.file import CorruptCheckpoint, load, verify


class Files:
    """As `rank` of the processes now sees them."""

    def __init__(self, places: Sequence[Place | None], rank: int) -> None:
        self._places = places
        self._rank = rank

    def __len__(self) -> int:
        return len(self._places)

    def place(self, rank: int) -> Place:
        place = self._places[rank]
        assert place is not None
        return place

    @property
    def own(self) -> Place:
        """With more processes than before, several have the same."""
        return self.place(self._rank % len(self))

    def load(self, rank: int, *, lazily: bool = True) -> dict[str, Any]:
        return load(self.place(rank), lazily=lazily)

    def problem(self, num_now: int, meeting: Meeting) -> str | None:
        """What this rank has found, of those that it is to verify: each is read once, whatever the number of ranks."""
        missing = [rank for rank, place in enumerate(self._places) if place is None]
        if missing:
            return f"the file of rank {missing[0]} of {len(self)} is missing"
        found, runs = None, {}
        for rank in range(self._rank, len(self), num_now):
            try:
                runs[rank] = verify(self.place(rank))[1].get("run")
            except (CorruptCheckpoint, OSError) as error:
                found, runs[rank] = found or str(error), None
        run = meeting.from_first(runs.get(0))
        others = [rank for rank, own in runs.items() if own != run]
        if found is None and others:
            return f"the file of rank {others[0]} is of another start of the run"
        return found


class Meeting:
    """What ranks tell each other about files; here, of one process that knows of no others."""

    def from_first(self, value: Any) -> Any:
        """What rank 0 says."""
        return value

    def reason(self, reason: str | None) -> str | None:
        """That of the first rank that has one."""
        return reason

    def put_together(self, files: Files) -> dict[str, Any]:
        """The state that this rank goes on from."""
        return files.load(0, lazily=False)
