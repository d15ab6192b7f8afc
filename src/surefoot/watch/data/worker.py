"""Learn from the workers of a loader whether they draw the same random numbers.

A worker that was forked looks at the states of the generators it can draw from, around its first two batches, and
writes them into memory that it shares with us. Nothing is drawn, and the batches go their way untouched. Workers that
are started afresh (`spawn`) run torch's own function, and tell nothing.
"""

from __future__ import annotations

import inspect
import json
import mmap
from collections.abc import Callable
from typing import Any

from torch.utils.data._utils import fetch

from surefoot.facts import SharedGeneratorFacts, WorkerFacts
from surefoot.watch.data import generator

NUM_WATCHED = 4  # workers; two would do if both were sure to get two batches
SLOT = 8192  # bytes for each
NUM_STATES = 3  # before the first batch, after it, after the second
SEED = ""  # in place of a generator's name: the seed of the pass, from which torch seeds each worker


class Board:
    """Memory in which each worker has a slot of its own."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, NUM_WATCHED * SLOT)

    def write(self, worker: int, states: dict[str, tuple[str, list[str]]]) -> None:
        text = json.dumps(states).encode()
        if len(text) < SLOT - 4:
            start = worker * SLOT
            self._memory[start + 4 : start + 4 + len(text)] = text
            self._memory[start : start + 4] = len(text).to_bytes(4, "big")

    def read(self) -> dict[int, dict[str, tuple[str, list[str]]]]:
        """What the workers have told so far, by number: of each generator its kind and its states."""
        told = {}
        for worker in range(NUM_WATCHED):
            start = worker * SLOT
            length = int.from_bytes(self._memory[start : start + 4], "big")
            if length:
                told[worker] = json.loads(self._memory[start + 4 : start + 4 + length])
        return told

    def shared_generators(self) -> tuple[SharedGeneratorFacts, ...]:
        """Generators that went through the same states in several workers, and moved with each batch."""
        counts: dict[tuple[str, str, tuple[str, ...]], int] = {}
        for told in self.read().values():
            for name, (kind, states) in told.items():
                if len(set(states)) == NUM_STATES:
                    key = (name, kind, tuple(states))
                    counts[key] = counts.get(key, 0) + 1
        return tuple(
            SharedGeneratorFacts(name, kind, num, generator.is_global(name))
            for (name, kind, _), num in counts.items()
            if num > 1
        )

    def workers(self) -> tuple[WorkerFacts, ...]:
        """What each of them drew from, if its state moved with each batch."""
        return tuple(
            WorkerFacts(
                worker,
                seed=told[SEED][1][0] if SEED in told else "",
                streams=tuple(
                    (name, " ".join(states)) for name, (_, states) in told.items() if len(set(states)) == NUM_STATES
                ),
            )
            for worker, told in self.read().items()
        )


def watched_loop(original: Callable[..., Any], board_of: Callable[[], Board | None]) -> Callable[..., Any]:
    """The function that a worker runs, with an eye on its first two batches."""
    signature = inspect.signature(original)

    def _worker_loop(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
            board, worker = board_of(), int(given["worker_id"])
            if board is not None and worker < NUM_WATCHED:
                seed = str(given.get("base_seed", ""))
                Observer(given["dataset"], board, worker, given.get("collate_fn"), seed).install()
        except Exception:  # a worker has nobody to tell
            pass
        return original(*args, **kwargs)

    return _worker_loop


class Observer:
    """Looks on in a worker, and is gone after two batches."""

    def __init__(self, data_set: Any, board: Board, worker: int, collate: Any = None, seed: str = "") -> None:
        self._seed = seed
        self._data_set = data_set
        self._collate = collate
        self._board = board
        self._worker = worker
        self._fetch = fetch._MapDatasetFetcher.fetch
        self._generators: dict[str, Any] = {}
        self._states: dict[str, list[str]] = {}

    def install(self) -> None:
        observer, original = self, self._fetch

        def watched(self: Any, *args: Any) -> Any:
            observer.look()
            data = original(self, *args)  # type: ignore[no-untyped-call]
            observer.look_again()
            return data

        fetch._MapDatasetFetcher.fetch = watched  # type: ignore[method-assign]

    def remove(self) -> None:
        fetch._MapDatasetFetcher.fetch = self._fetch  # type: ignore[method-assign]

    def look(self) -> None:
        if self._states:
            return
        try:
            self._generators = generator.find(self._data_set, self._collate)
            self._states = {name: [generator.state_of(one)] for name, one in self._generators.items()}
        except Exception:
            self.remove()

    def look_again(self) -> None:
        try:
            for name, one in self._generators.items():
                self._states[name].append(generator.state_of(one))
            if len(self._states["torch"]) == NUM_STATES:
                self._tell()
                self.remove()
        except Exception:
            self.remove()

    def _tell(self) -> None:
        moved = {name: states for name, states in self._states.items() if len(set(states)) == NUM_STATES}
        told = {name: (type(self._generators[name]).__name__, states) for name, states in moved.items()}
        self._board.write(self._worker, {SEED: ("", [self._seed]), **told})
