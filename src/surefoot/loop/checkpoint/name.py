"""What the name of a checkpoint file says: `0007-update-00000812+3.unhealthy.start-1f0c88a2.rank-1-of-4.pt`.

The best one, with `keep_best=`, is `0005-update-00000600.best.pt`.
"""

import re
from dataclasses import dataclass

from surefoot.loop.checkpoint.address import Place

PATTERN = re.compile(
    r"(?P<number>\d+)-update-(?P<update>\d+)(?:\+(?P<micro_batches>\d+))?(?P<unhealthy>\.unhealthy)?(?P<best>\.best)?"
    r"(?:\.start-(?P<start>[0-9a-f]{8}))?(?:\.rank-(?P<rank>\d+)-of-(?P<world_size>\d+))?\.pt"
)


@dataclass(frozen=True)
class Name:
    """`number` counts the saves of one rank, so that later ones are known after a run went back in time."""

    number: int
    update: int
    micro_batches: int  # of the window that was open
    healthy: bool
    rank: int
    world_size: int
    best: bool = False
    start: str = ""  # of several ranks: which one wrote it. Older files do not tell

    @staticmethod
    def parse(text: str) -> "Name | None":
        found = PATTERN.fullmatch(text)
        if found is None:
            return None
        return Name(
            number=int(found["number"]),
            update=int(found["update"]),
            micro_batches=int(found["micro_batches"] or 0),
            healthy=found["unhealthy"] is None,
            rank=int(found["rank"] or 0),
            world_size=int(found["world_size"] or 1),
            best=found["best"] is not None,
            start=found["start"] or "",
        )

    def __str__(self) -> str:
        inside = f"+{self.micro_batches}" if self.micro_batches else ""
        health = ("" if self.healthy else ".unhealthy") + ".best" * self.best
        start = f".start-{self.start}" if self.start else ""
        rank = f".rank-{self.rank}-of-{self.world_size}" if self.world_size > 1 else ""
        return f"{self.number:04d}-update-{self.update:08d}{inside}{health}{start}{rank}.pt"

    @property
    def moment(self) -> tuple[int, int, bool, str]:
        """What the files of all ranks for one checkpoint have in common.

        Without the start, files that were left by several kills at one moment would be taken for one checkpoint.
        """
        return self.update, self.micro_batches, self.healthy, self.start


def list_names(folder: Place) -> list[Name]:
    """The names in `folder`, the last saved first."""
    if not folder.is_dir():
        return []
    names = [name for path in folder.iterdir() if (name := Name.parse(path.name))]
    return sorted(names, key=lambda name: name.number, reverse=True)
