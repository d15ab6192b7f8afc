"""What the name of a checkpoint file says: `0007-update-00000812+3.unhealthy.rank-1-of-4.pt`.

The best one, with `keep_best=`, is `0005-update-00000600.best.pt`.
"""

import re
from dataclasses import dataclass

from surefoot.loop.checkpoint.address import Place

PATTERN = re.compile(
    r"(?P<number>\d+)-update-(?P<update>\d+)(?:\+(?P<micro_batches>\d+))?(?P<unhealthy>\.unhealthy)?(?P<best>\.best)?"
    r"(?:\.rank-(?P<rank>\d+)-of-(?P<world_size>\d+))?\.pt"
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
        )

    def __str__(self) -> str:
        inside = f"+{self.micro_batches}" if self.micro_batches else ""
        health = ("" if self.healthy else ".unhealthy") + ".best" * self.best
        rank = f".rank-{self.rank}-of-{self.world_size}" if self.world_size > 1 else ""
        return f"{self.number:04d}-update-{self.update:08d}{inside}{health}{rank}.pt"

    @property
    def moment(self) -> tuple[int, int, bool]:
        """What the files of all ranks for one checkpoint have in common."""
        return self.update, self.micro_batches, self.healthy


def list_names(folder: Place) -> list[Name]:
    """The names in `folder`, the last saved first."""
    if not folder.is_dir():
        return []
    names = [name for path in folder.iterdir() if (name := Name.parse(path.name))]
    return sorted(names, key=lambda name: name.number, reverse=True)
