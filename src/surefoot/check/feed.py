"""What DataLoaders give, while an experiment goes on: the first batch again and again, or batches that are kept.

Only passes in which the program trains are lengthened; any other ends where it would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

from surefoot.check.experiment import Result
from surefoot.check.tensors import copied, digest_all

MOST_UNSEEN, MOST_SEEN = 10, 8  # batches that are looked at in the end


class Pass:
    """One pass over a loader."""

    def __init__(self, loader: DataLoader[Any], num_steps: int) -> None:
        self.loader = loader
        self.num_steps = num_steps  # of the program when it began
        self.num_given = 0


Choose = Callable[[Pass, Callable[[], Any]], Any]


class Feed:
    """`choose(pass, draw)` says which batch comes next; `draw` gets one more from the loader."""

    def __init__(self, result: Result, choose: Choose | None = None) -> None:
        self._result = result
        self._choose = choose
        self._passes: dict[int, tuple[Any, Pass]] = {}
        self.batch_size: int | None = None
        self.marks: set[int] = set()  # of batches that were given as they are

    def install(self) -> None:
        start, following = DataLoader.__iter__, _BaseDataLoaderIter.__next__

        def __iter__(loader: DataLoader[Any]) -> Any:
            iterator = start(loader)
            self._result.uses_loader = True
            self._passes[id(iterator)] = (iterator, Pass(loader, len(self._result.steps)))
            return iterator

        def __next__(iterator: Any) -> Any:
            known = self._passes.get(id(iterator))
            if known is None:
                return following(iterator)
            running = known[1]
            try:
                batch = self._next(running, lambda: following(iterator))
            except StopIteration:
                del self._passes[id(iterator)]
                raise
            running.num_given += 1
            if self._choose is None:
                self.marks.add(digest_all(batch))
            self.batch_size = running.loader.batch_size or self.batch_size
            return batch

        DataLoader.__iter__ = __iter__  # type: ignore[method-assign]
        _BaseDataLoaderIter.__next__ = __next__  # type: ignore[method-assign, assignment]

    def _next(self, running: Pass, draw: Callable[[], Any]) -> Any:
        return draw() if self._choose is None else self._choose(running, draw)


def trains(running: Pass, result: Result) -> bool:
    return len(result.steps) > running.num_steps


def repeat_first(result: Result) -> Choose:
    """The first batch of each loader again and again; where the program trains, without an end."""
    first: dict[int, tuple[Any, Any]] = {}  # with the loader, so that it stays the one of this id

    def choose(running: Pass, draw: Callable[[], Any]) -> Any:
        drawn = None if trains(running, result) else draw()  # else the pass ends where it would
        _, batch = first.setdefault(id(running.loader), (running.loader, copied(drawn)))
        return copied(batch)

    return choose


def hold_out(result: Result, num_train: int, num_looks: int, most: int) -> Choose:
    """For `num_train` steps, train on some batches in turn; then give unseen and seen ones, each for `num_looks` steps.

    Unseen are the first that the loader gives. They are kept back for good: later passes give the same batches.
    """
    kept: dict[int, tuple[Any, list[Any], list[Any]]] = {}

    def choose(running: Pass, draw: Callable[[], Any]) -> Any:
        if id(running.loader) not in kept:
            kept[id(running.loader)] = (running.loader, *_drawn_ahead(draw, most))
        _, unseen, seen = kept[id(running.loader)]
        look = len(result.steps) - num_train
        if look >= 0 and trains(running, result):
            shown = [*unseen, *seen[:MOST_SEEN]]
            return copied(shown[look // num_looks % len(shown)])
        if not trains(running, result) and running.num_given >= len(seen) + len(unseen):
            raise StopIteration
        in_turn = seen if trains(running, result) else [*seen, *unseen]
        return copied(in_turn[running.num_given % len(in_turn)])

    return choose


def _drawn_ahead(draw: Callable[[], Any], most: int) -> tuple[list[Any], list[Any]]:
    drawn = []
    for _ in range(most):
        try:
            drawn.append(copied(draw()))
        except StopIteration:
            break
    if not drawn:
        raise StopIteration
    num_unseen = min(len(drawn) // 2, MOST_UNSEEN)
    return drawn[:num_unseen], drawn[num_unseen:]
