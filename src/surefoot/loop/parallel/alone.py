"""One process: nothing to agree on. The ways of several processes override what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from surefoot.loop.checkpoint.files import Files, Meeting
from surefoot.loop.checkpoint.folder import Folder
from surefoot.loop.given import refuse_sparse
from surefoot.loop.parallel.reading import put_together
from surefoot.loop.parallel.shard import whole
from surefoot.loop.window import mean_loss

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from surefoot.loop.checkpoint.address import Place
    from surefoot.loop.checkpoint.signal import Termination
    from surefoot.loop.feed import Feed
    from surefoot.loop.window import Window


class Alone(Meeting):
    rank = 0
    size = 1
    run = ""  # a word that the ranks of one start have in common
    is_extra = False  # the batch is a repetition, so that other ranks are not left waiting, and counts nothing
    shares_backward = False  # ranks meet in forwards and backwards: none may leave one out

    # --- the model

    def take(self, models: Mapping[str, Module], optimizers: Mapping[str, Optimizer]) -> None:
        """Make the ranks start from the same weights."""

    def settle(self, models: Iterable[Module]) -> None:
        """After forwards that no backward followed."""

    def share_buffers(self, models: Iterable[Module]) -> None:
        """What is no parameter, such as running means, becomes the same on all ranks."""

    # --- a window

    def unit(self, unit: float, place: str) -> float:
        """The weight that counts as one on all ranks, given what this one would take."""
        return unit

    def sum_over_ranks(self, window: Window) -> tuple[list[Tensor], float]:
        """The window's gradients and its weight in units."""
        total = window.merge(window.totals)
        return window.gradients, total

    def gradients(self, window: Window) -> list[Tensor]:
        """What this rank has of the window's gradients."""
        return window.gradients

    def backward_of_nothing(self, loss: Tensor, retain_graph: bool) -> None:
        """Of a micro-batch that counts nothing, where ranks meet in backwards."""

    def mean_loss(self, window: Window) -> float:
        return mean_loss(window.losses, window.totals)

    def norm(self, gradients: list[Tensor]) -> Tensor:
        try:
            return torch.nn.utils.get_total_norm(gradients)
        except NotImplementedError:
            refuse_sparse(gradients)
            raise

    def norm_of(self, gradients: list[Tensor]) -> Tensor:
        """Of the gradients of some parameters, as they lie in `.grad`."""
        return self.norm(gradients)

    # --- agreeing

    def together(self, place: str, numbers: Sequence[float] = ()) -> list[float]:
        """The sums of a few numbers over all ranks, which have to be at the same place of the program."""
        return list(numbers)

    def refuse_different(self, described: Sequence[str]) -> None:
        """Models, optimizers and settings that are not those of the other ranks."""

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """Each number, added up over all ranks."""
        return list(numbers)

    def gather(self, value: Any) -> list[Any]:
        """That of every rank, in their order."""
        return [value]

    def all(self, here: bool) -> bool:
        return here

    def first_says(self, here: bool) -> bool:
        """What rank 0 says, if ranks may differ."""
        return here

    def same_everywhere(self, what: str, number: float) -> None:
        """Refuse to go on if it is not."""

    def is_ending(self, ending: Termination) -> bool:
        """Whether the program was asked to end, and all ranks know."""
        return ending.asked

    # --- data

    def batches(self, feed: Feed) -> Iterator[Any]:
        """The batches that are left of the feed's epoch: as many on every rank."""
        return feed.batches()

    def evaluated(self, batches: Iterable[Any]) -> Iterator[tuple[Any, bool]]:
        """Each batch, and whether it counts."""
        return ((batch, True) for batch in batches)

    # --- checkpoints

    def folder(self, path: Place, keep: int) -> Folder:
        return Folder(path, keep, rank=self.rank, world_size=self.size, run=self.run)

    def file(self, path: Place, rank: int | None = None) -> Place:
        """Where this rank, or another one, saves what the user wants in `path`."""
        return path

    def refuse_missing(self, path: Place) -> None:
        """`path` is this rank's own file."""
        missing = [rank for rank, exists in enumerate(self.gather(path.exists())) if not exists]
        if missing and self.size == 1:
            raise FileNotFoundError(f"there is no checkpoint {path}.")
        if missing:
            raise FileNotFoundError(
                f"the checkpoint of rank {missing[0]} of {self.size} is missing beside {path}. Each rank needs its own "
                "file, saved by as many processes."
            )

    def pack(self, state: dict[str, Any]) -> dict[str, Any]:
        """Into what a file can hold."""
        return state

    def share(self, state: dict[str, Any]) -> dict[str, Any]:
        """What of it this rank has to write."""
        return state

    def put_together(self, files: Files) -> dict[str, Any]:
        return put_together(files, self.rank, self.size, takes_parts=self.shares_backward)

    def unpack(
        self, state: dict[str, Any], models: Mapping[str, Module], optimizers: Mapping[str, Optimizer],
        params: Mapping[str, Sequence[Tensor]],
    ) -> None:  # fmt: skip
        """In place: the reverse, for the models, the optimizers, and the parameters of each window."""
        state |= {key: whole(state[key]) for key in ("models", "optimizers") if key in state}

    # --- failing

    def fails(self, error: BaseException) -> None:
        """Tell the others of an exception that only one rank may have."""

    def close(self) -> None:
        """The loop needs the other ranks no more."""
