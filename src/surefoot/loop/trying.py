"""`overfit=n` and `dry_run=n`: does a training run at all, and can it learn a few batches by heart?"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from surefoot.loop import loader as kind
from surefoot.loop.stop import Condition, after


def check_trying(overfit: Any, dry_run: Any, checkpoint: Any) -> None:
    for what, num in (("overfit", overfit), ("dry_run", dry_run)):
        if num is not None and (isinstance(num, bool) or not isinstance(num, int) or num < 1):
            raise ValueError(f"{what} must be a number of at least 1, got {num!r}.")
    if overfit is not None and checkpoint is not None and dry_run is None:
        raise ValueError("overfit= is a trial on a few batches, which is not saved. Leave checkpoint= out.")


def until_tried(stop: Condition | None, dry_run: int | None) -> Condition | None:
    """With the end of a trial among the conditions."""
    if dry_run is None:
        return stop
    enough = after(updates=dry_run)
    return enough if stop is None else stop | enough


def first_batches(loader: Any, num: int) -> list[Any]:
    """To be trained on again and again."""
    kind.check(loader, 1)
    return list(islice(kind.start(loader), num))


def at_most(batches: Iterable[Any], num: int | None) -> Iterable[Any]:
    return batches if num is None else islice(batches, num)
