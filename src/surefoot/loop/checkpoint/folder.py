"""A folder of checkpoints that, once it held a good one, always holds a good one.

Each rank writes files of its own and deletes only its own. A checkpoint of several ranks counts when the files of all
of them are whole.
"""

import contextlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from surefoot.loop.checkpoint.address import Place
from surefoot.loop.checkpoint.file import write
from surefoot.loop.checkpoint.files import Files, Meeting
from surefoot.loop.checkpoint.name import Name, list_names

COMPLETE = ".complete"


class ResumeError(RuntimeError):
    """There are checkpoints, and none of them can be used."""


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written or read; training goes on."""


class Folder:
    """`run` is any word that the ranks of one start agree on: files of different starts are never taken together."""

    def __init__(self, path: Place, keep: int = 2, *, rank: int = 0, world_size: int = 1, run: str = "") -> None:
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
            raise ValueError(f"keep must be at least 1, got {keep!r}: a run can't be resumed without a checkpoint.")
        self.path = path
        self.keep = keep
        self.rank = rank
        self.world_size = world_size
        self.run = run
        self._told: set[object] = set()

    def save(
        self, state: Mapping[str, Any], update: int, healthy: bool, micro_batches: int = 0, *, best: bool = False
    ) -> Place | None:
        """Write `state`, then let older ones go; None if the disk would not take it.

        The last one that is the `best` stays. `micro_batches` counts those of the open window: two checkpoints of one
        update are different moments.
        """
        path = self.begin(update, healthy, micro_batches, best=best)
        if path is not None:
            try:
                self.finish(path, state)
            except OSError as error:
                self.tell_failure(error)
                return None
        return path

    def begin(self, update: int, healthy: bool, micro_batches: int, *, best: bool) -> Place | None:
        """The path of the next checkpoint; None if there can't be one."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._sweep()
            names = [name for name in list_names(self.path) if self._is_own(name) or self._is_of_other(name)]
            number = 1 + max((name.number for name in names), default=0)
        except OSError as error:
            self.tell_failure(error)
            return None
        start = f"{crc32(self.run.encode()):08x}" if self.world_size > 1 and self.run else ""
        return self.path / str(Name(number, update, micro_batches, healthy, self.rank, self.world_size, best, start))

    def finish(self, path: Place, state: Mapping[str, Any]) -> None:
        """Write `state` to the path that `begin` gave, then let older ones go."""
        write(path, state, {"run": self.run})
        self._rotate()

    def newest(self, *, best: bool = False, ranks: Meeting | None = None) -> tuple[Place, dict[str, Any]] | None:
        """The newest healthy checkpoint that is whole, and its state; those passed over are told.

        With `best`, of those that were the best when they were saved; None if there is none. Without, None if there
        never was one: if there was, and none can be used, that is an error, because a run does not start over without
        its user's knowledge. All ranks call it, and each verifies its own file only.
        """
        meeting = ranks or Meeting()
        names = meeting.from_first(list_names(self.path))
        passed_over: list[tuple[str, str]] = []
        for name in names:
            if name.rank or not name.healthy or (best and not name.best):  # a checkpoint goes by its rank 0
                continue
            files = self._files(name, names)
            problem = meeting.reason(files.problem(self.world_size, meeting))
            if problem is not None:
                passed_over.append((str(name), problem))
                continue
            for other, why in passed_over if self.rank == 0 else ():
                self._tell(other, f"Passed over the checkpoint {other}: {why}. An older one is used.")
            return files.own, meeting.put_together(files)
        if not best:
            self._refuse_starting_over(names, passed_over)
        return None

    def _files(self, first: Name, names: Sequence[Name]) -> Files:
        found = [_file_of(rank, first, names) for rank in range(first.world_size)]
        return Files([None if name is None else self.path / str(name) for name in found], self.rank)

    def _refuse_starting_over(self, names: Sequence[Name], passed_over: Sequence[tuple[str, str]]) -> None:
        if not names:
            return
        if passed_over:
            why = f"{passed_over[0][0]}: {passed_over[0][1]}"
        elif not any(name.healthy for name in names):
            why = "all of them have weights that are not finite"
        else:
            why = "the files of rank 0 are missing"
        if self._was_cut_off_at_first(names):
            self._tell("first", f"The first checkpoint in {self.path} was never finished ({why}). The run starts anew.")
            return
        raise ResumeError(
            f"{self.path} has checkpoints, but none to resume from: {why}. Bring the files back, or choose another "
            "folder to start anew."
        )

    def _was_cut_off_at_first(self, names: Sequence[Name]) -> bool:
        """Killed while some ranks had written their first file and others had not: no checkpoint was lost."""
        is_first = all(name.number == 1 for name in names) and not (self.path / COMPLETE).exists()
        return is_first and len({name.rank for name in names}) < names[0].world_size

    def mark_complete(self) -> None:
        """All ranks have written a checkpoint: from now on there is something to lose."""
        if self.rank == 0:
            with contextlib.suppress(OSError):
                (self.path / COMPLETE).touch()

    def _is_of_other(self, name: Name) -> bool:
        """Of another number of processes, from which the run was resumed."""
        return name.world_size != self.world_size

    def _is_own(self, name: Name) -> bool:
        return (name.rank, name.world_size) == (self.rank, self.world_size)

    def _rotate(self) -> None:
        """Keep the newest few, everything since the newest healthy one that all ranks have written, and the best."""
        with contextlib.suppress(OSError):  # another process reads it, or the disk is gone: the next save tries again
            names = list_names(self.path)
            own = [name for name in names if self._is_own(name)]
            ranks = range(self.world_size)
            whole = [n for n in own if n.healthy and all(_file_of(rank, n, names) for rank in ranks)]
            newest_healthy = next((n.number for n in whole), 0)
            newest_best = next((n.number for n in whole if n.best), 0)
            for name in own[self.keep :]:
                is_best = name.best and name.number >= newest_best
                if not is_best and (not name.healthy or name.number < newest_healthy):
                    (self.path / str(name)).unlink(missing_ok=True)
            for name in filter(self._is_of_other, names) if len(whole) >= self.keep else ():
                is_best = name.best and not newest_best
                if name.rank % self.world_size == self.rank and not is_best and name.number < newest_healthy:
                    (self.path / str(name)).unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Remove what killed writers left behind."""
        for path in self.path.glob(".*.tmp"):
            name = Name.parse(path.name[1:].rsplit(".", 2)[0])
            if name is not None and self._is_own(name):
                path.unlink(missing_ok=True)

    def tell_failure(self, error: OSError) -> None:
        cause = error.strerror or str(error)
        self._tell(
            error.errno, f"No checkpoint written to {self.path}: {cause}. Training goes on; older checkpoints stand."
        )

    def _tell(self, cause: object, text: str) -> None:
        if cause not in self._told:
            self._told.add(cause)
            warnings.warn(text, CheckpointWarning, stacklevel=5)


def _file_of(rank: int, own: Name, names: Sequence[Name]) -> Name | None:
    """The newest file of `rank` for the checkpoint that `own` is part of."""
    alike = (n for n in names if (n.rank, n.world_size, n.moment) == (rank, own.world_size, own.moment))
    return next(alike, None)
