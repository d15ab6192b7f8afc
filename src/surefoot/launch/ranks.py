"""Ranks of one run under torchrun: one of them tells for all."""

import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from surefoot.facts.frozen import frozen
from surefoot.launch.handover import hand_over, received
from surefoot.report import Report, merge
from surefoot.runlog.agree import agree, make_place, meeting_place

WAIT_SECONDS = 20.0  # for ranks that finish later than the one that tells
_POLL_SECONDS = 0.05


@frozen
class Ranks:
    """Where this process stands among those that torchrun started on this machine."""

    rank: int
    local_rank: int
    num_local: int
    folder: Path

    @staticmethod
    def from_environment(environ: Mapping[str, str] = os.environ) -> "Ranks | None":
        folder = meeting_place(environ)
        if folder is None:
            return None
        rank = int(environ["RANK"])
        return Ranks(
            rank,
            int(environ.get("LOCAL_RANK", rank)),
            int(environ.get("LOCAL_WORLD_SIZE", environ["WORLD_SIZE"])),
            folder,
        )

    @property
    def tells(self) -> bool:
        return self.local_rank == 0

    @property
    def writes_report(self) -> bool:
        """On other machines the first rank only speaks: their files are not ours to see."""
        return self.rank == 0

    def agree(self, proposal: str) -> str:
        """The same answer in every rank: what the first one to ask proposed."""
        return agree(self.folder, self.rank, proposal)

    def claims(self) -> Path:
        """Where ranks settle who tells the world what several of them see."""
        make_place(self.folder)
        return self.folder

    def hand_over(self, report: Report) -> None:
        make_place(self.folder)
        hand_over(report, self.folder, f"rank-{self.rank}")

    def clear(self) -> None:
        """All that is to be told has been told."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def union(self, mine: Report, wait_seconds: float = WAIT_SECONDS) -> tuple[Report, int]:
        """One report of all ranks of this machine, and how many of them did not answer in time."""
        make_place(self.folder)
        deadline = time.monotonic() + wait_seconds
        others = received(self.folder)
        while len(others) < self.num_local - 1 and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            others = received(self.folder)
        return merge([mine, *others.values()]), self.num_local - 1 - len(others)
