"""Read a loader beside training, which afterwards gets the very batches that it would have got."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from surefoot.loop import loader as kind
from surefoot.loop.checkpoint import generator, rng


def check_startable_again(loader: kind.Loader) -> None:
    kind.check(loader, 1)
    if isinstance(loader, Iterator):
        raise ValueError(
            f"the loader must be startable again, because training needs its batches too, got a "
            f"{type(loader).__name__}. Pass a DataLoader, a list, or the function that makes it, without calling it."
        )


@contextmanager
def nothing_moved(loader: kind.Loader) -> Iterator[None]:
    """The random states of the process and of the loader are afterwards those of before."""
    own = generator.find(loader)
    before = generator.states(own)
    with ExitStack() as stack:
        stack.callback(generator.put, own, before)
        stack.enter_context(rng.unmoved())
        yield


def start_separate_pass(loader: kind.Loader) -> Iterator[Any]:
    """One pass. Workers that live on would not be as before: take others."""
    if kind.keeps_workers(loader):
        loader = copy.copy(loader)
        loader._iterator = None  # type: ignore[union-attr]
    return kind.start(loader)
