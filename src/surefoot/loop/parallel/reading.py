"""A rank's state, put together from the files of those that saved it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from surefoot.loop.parallel.copies import complete
from surefoot.loop.parallel.reshard import joined
from surefoot.loop.parallel.shard import has_shards

if TYPE_CHECKING:
    from surefoot.loop.checkpoint.files import Files


def put_together(files: Files, rank: int, size: int, *, takes_parts: bool) -> dict[str, Any]:
    """`takes_parts`: a rank holds the same parts of tensors as one of as many ranks before did."""
    if len(files) == size:
        own = complete(files.load(rank, lazily=False), cache(lambda: files.load(0)))
        if takes_parts or not has_shards(own["models"]):
            return own
    states = [files.load(one) for one in range(len(files))]
    if len(files) > 1 and states[0]["format"] == 1:  # without what tells which part of a tensor is where
        raise ValueError(
            f"{files.own} is of {len(files)} processes and of an older version, and this run has {size}. Start "
            f"{len(files)} processes to resume it, or choose another folder."
        )
    return joined(states, rank)
