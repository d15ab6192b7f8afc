"""What all ways of several processes share: what the ranks tell each other, all of it by torch's collectives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from zlib import crc32

import torch
import torch.distributed as dist

from surefoot.loop.parallel.alike import difference, refuse_apart
from surefoot.loop.parallel.alone import Alone
from surefoot.loop.parallel.copies import leave_out
from surefoot.loop.parallel.failure import Failures
from surefoot.loop.parallel.group import Group
from surefoot.loop.parallel.shared_folder import refuse_separate_folders
from surefoot.loop.parallel.together import Together
from surefoot.loop.weight.agreement import marks_of, refuse_different_marks
from surefoot.loop.window import mean_loss

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

    from surefoot.loop.checkpoint.address import Place
    from surefoot.loop.checkpoint.folder import Folder
    from surefoot.loop.checkpoint.signal import Termination
    from surefoot.loop.feed import Feed
    from surefoot.loop.window import Window

MOST_NUMBERS = 11  # that ranks exchange when they meet


class Ranks(Alone):
    def __init__(self, device: torch.device) -> None:
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.device = device
        Group.num_loops += 1
        self._is_open = True
        self._place = ""
        self.together("sf.Loop(…)")
        self.run = str(self._told_by(0, uuid4().hex))
        self._loss = float("nan")  # of the window before
        self._ending: Termination | None = None
        self._is_ending = False
        self._together = Together(self)
        self._failures = Failures(self)

    # --- where each is

    def together(self, place: str, numbers: Sequence[float] = ()) -> list[float]:
        """The sums of some numbers, once it is known that all ranks are at the same place of the program.

        Whatever ranks do together begins with this exchange, which always has the same size: so a rank that saves,
        while the others go on, is found out by all of them, and none waits.
        """
        self._place = place
        code = float(crc32(place.encode()) % 2**16)
        own = [*numbers, *[0.0] * (MOST_NUMBERS - len(numbers)), code, code * code]
        *sums, codes, squares = self.sum(own)
        if codes * codes != self.size * squares:
            refuse_apart(self.gather(place))
        return sums[: len(numbers)]

    @property
    def place(self) -> str:
        """Where this rank has met the others last."""
        return self._place

    # --- numbers

    def reduce(self, numbers: Sequence[float], how: Any) -> list[float]:
        if not numbers:
            return []
        tensor = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        dist.all_reduce(tensor, how)
        return list(tensor.tolist())

    def sum(self, numbers: Sequence[float]) -> list[float]:
        return self.reduce(numbers, dist.ReduceOp.SUM)

    def range(self, number: float) -> tuple[float, float]:
        """The lowest and the highest on any rank."""
        high, low = self.reduce([number, -number], dist.ReduceOp.MAX)
        return -low, high

    def all(self, here: bool) -> bool:
        return self.range(float(here))[0] == 1.0

    def reason(self, reason: str | None) -> str | None:
        first = int(self.range(self.size if reason is None else self.rank)[0])
        return None if first == self.size else self._told_by(first, reason)

    def gather(self, value: Any) -> list[Any]:
        gathered: list[Any] = [None] * self.size
        dist.all_gather_object(gathered, value)
        return gathered

    def same_everywhere(self, what: str, number: float) -> None:
        lowest, highest = self.range(number)
        if lowest != highest:
            raise RuntimeError(
                f"{what} must be the same on all ranks, got {number:g} on rank {self.rank}, and from {lowest:g} to "
                f"{highest:g} over all. Are the checkpoints in a folder that all of them reach?"
            )

    def refuse_different(self, described: Sequence[str]) -> None:
        reason = self.reason(difference(self.from_first(list(described)), described, self.rank))
        if reason is not None:
            raise ValueError(reason)

    def first_says(self, here: bool) -> bool:
        return self.sum([here and self.rank == 0])[0] == 1.0

    def from_first(self, value: Any) -> Any:
        return self._told_by(0, value)

    def _told_by(self, rank: int, value: Any) -> Any:
        told = [value]
        dist.broadcast_object_list(told, src=rank)
        return told[0]

    # --- the model

    def copy_from_first(self, tensors: Iterable[Tensor]) -> None:
        """Rank 0's values become everybody's."""
        with torch.no_grad():
            work = [dist.broadcast(tensor.detach(), src=0, async_op=True) for tensor in tensors]
            for one in work:
                one.wait()

    def share_buffers(self, models: Iterable[Module]) -> None:
        self.copy_from_first(buffer for model in models for buffer in model.buffers())

    # --- a window

    def unit(self, unit: float, place: str) -> float:
        self.together(place)
        return self.range(unit)[1]

    def meet(self, window: Window, more: Sequence[float] = ()) -> tuple[list[float], list[float]]:
        """The window's weights over all ranks and the sums of `more`, which are 0 or 1.

        Mostly this is the one small exchange of a window. There are more where steps have several backwards, on any
        rank, and where some of `more` are 0.
        """
        asked = float(self._ending is not None and self._ending.asked)
        marks = marks_of(window.agreement)
        own = [window.totals[0], window.losses[0], asked, float(len(window.further) > 0), sum(more), *marks]
        total, loss, asked, has_further, num_more, *marks = self.together(window.place, own)
        totals, losses = [total], [loss]
        if has_further:
            num = int(self.range(len(window.further))[1])
            sums = self.sum([*_padded(window.totals[1:], num), *_padded(window.losses[1:], num)])
            totals, losses = [total, *sums[:num]], [loss, *sums[num:]]
        self._loss = mean_loss(losses, totals)
        self._is_ending = asked > 0
        refuse_different_marks(marks)
        if num_more in (0.0, self.size * len(more)):  # mostly all parameters get a gradient on all ranks
            return totals, [num_more / max(len(more), 1)] * len(more)
        return totals, self.sum(more)

    def mean_loss(self, window: Window) -> float:
        return self._loss

    def is_ending(self, ending: Termination) -> bool:
        """Ranks get the signal at different moments, and save at the same one: after a window."""
        self._ending = ending
        is_ending, self._is_ending = self._is_ending, False
        if is_ending:
            ending.asked = True  # the others end: this one can't go on without them
        return is_ending

    # --- data

    def batches(self, feed: Feed) -> Iterator[Any]:
        for batch, counts in self._together.batches(feed):
            self.is_extra = not counts
            yield batch
            self.is_extra = False

    # --- checkpoints

    def folder(self, path: Place, keep: int) -> Folder:
        refuse_separate_folders(self, path)
        return super().folder(path, keep)

    def file(self, path: Place, rank: int | None = None) -> Place:
        number = self.rank if rank is None else rank
        return path.with_name(f"{path.stem}.rank-{number}-of-{self.size}{path.suffix}")

    def share(self, state: dict[str, Any]) -> dict[str, Any]:
        return leave_out(state, self.from_first, self.rank)

    # --- failing

    def fails(self, error: BaseException) -> None:
        self._failures.tell(error)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            Group.leave()


def _padded(numbers: Sequence[float], num: int) -> list[float]:
    return [*numbers, *[0.0] * (num - len(numbers))]
