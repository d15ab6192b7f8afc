"""Whether all ranks reach one folder: found out at the start, because at a resume it would be too late."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.loop.checkpoint.address import Place
    from surefoot.loop.parallel.ranks import Ranks

WAIT_SECONDS = 5.0  # network file systems show new files to others a little later
POLL_SECONDS = 0.05


def refuse_separate_folders(ranks: Ranks, folder: Place) -> None:
    """Rank 0 leaves a file that the others have to find. A disk that takes no file is told when it is to save one."""
    mark = folder / f".shared-{ranks.run}"
    has_written = ranks.all(_write(mark) if ranks.rank == 0 else True)
    is_found = not has_written or _appears(mark)
    missing = [rank for rank, found in enumerate(ranks.gather(is_found)) if not found]
    if ranks.rank == 0:
        mark.unlink(missing_ok=True)
    if missing:
        raise ValueError(
            f"checkpoint={str(folder)!r} must be one folder for all ranks, but rank {missing[0]} does not find what "
            "rank 0 wrote there: a run could not be resumed. Name a folder on a disk that all machines share."
        )


def _write(mark: Place) -> bool:
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return False
    return True


def _appears(mark: Place) -> bool:
    end = monotonic() + WAIT_SECONDS
    while not mark.exists():
        if monotonic() > end:
            return False
        sleep(POLL_SECONDS)
    return True
