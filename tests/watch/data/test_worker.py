"""Generators, and what workers tell of them."""

import random
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data._utils.fetch import _MapDatasetFetcher

from surefoot.watch.data import generator
from surefoot.watch.data.worker import NUM_WATCHED, Board, Observer, watched_loop

module_rng = random.Random(7)


class Holder:
    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)

    def __getitem__(self, index: int) -> float:
        return float(self.rng.random())  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return 64


def test_generators_are_found_where_people_keep_them() -> None:
    rng, closed = random.Random(0), np.random.default_rng(0)
    data_set = Holder(
        rng=rng, transform=Holder(steps=[Holder(rng=np.random.RandomState(0))]), samples=list(range(1000)),
        noise=lambda: closed.normal(), table={"g": torch.Generator()}, weights=torch.ones(3), own=rng.random,
    )  # fmt: skip
    found = generator.find(data_set, Holder(rng=random.Random(2)))
    assert set(found) == {
        "collate_fn.rng",
        "random", "numpy.random", "torch", "dataset.rng", "dataset.transform.steps[0].rng", "dataset.noise.closed",
        "dataset.table['g']", "module_rng",
    }  # fmt: skip
    assert found["dataset.rng"] is rng and found["module_rng"] is module_rng


def test_an_object_that_holds_itself_ends_the_search() -> None:
    data_set = Holder()
    data_set.__dict__.update(me=data_set, rng=random.Random(0))
    assert "dataset.rng" in generator.find(data_set)


@pytest.mark.parametrize(
    ("make", "draw"),
    [
        (lambda: random.Random(0), lambda g: g.random()),
        (lambda: np.random.default_rng(0), lambda g: g.random()),
        (lambda: np.random.RandomState(0), lambda g: g.rand()),
        (lambda: torch.Generator().manual_seed(0), lambda g: torch.rand((), generator=g)),
        (lambda: random, lambda g: g.random()),
        (lambda: np.random, lambda g: g.rand()),
        (lambda: torch, lambda g: g.rand(())),
    ],
)
def test_states_move_when_drawn_from_and_only_then(make: Any, draw: Any) -> None:
    one = make()
    before = generator.state_of(one)
    assert generator.state_of(one) == before
    draw(one)
    assert generator.state_of(one) != before


def run_worker(board: Board, worker: int, data_set: Any, num_batches: int = 3) -> None:
    """What a worker process does, here."""
    Observer(data_set, board, worker).install()
    fetcher = _MapDatasetFetcher(data_set, True, list, False)
    for start in range(num_batches):
        fetcher.fetch([start, start + 1])


@pytest.fixture(autouse=True)
def _fetch_is_put_back() -> Any:
    original = _MapDatasetFetcher.fetch
    yield
    assert _MapDatasetFetcher.fetch is original


def test_copies_of_a_generator_are_found() -> None:
    board = Board()
    for worker in range(2):
        run_worker(board, worker, Holder(rng=random.Random(0)))
    (found,) = board.shared_generators()
    assert (found.name, found.kind, found.num_workers, found.is_global) == ("dataset.rng", "Random", 2, False)


def test_generators_of_their_own_are_not() -> None:
    board = Board()
    for worker in range(2):
        run_worker(board, worker, Holder(rng=random.Random(worker)))
    assert board.shared_generators() == ()


def test_reseeding_by_sample_is_no_shared_stream() -> None:
    class Seeded(Holder):
        def __getitem__(self, index: int) -> float:
            self.rng.seed(1)
            return float(self.rng.random())

    board = Board()
    for worker in range(2):
        run_worker(board, worker, Seeded(rng=random.Random(0)))
    assert board.shared_generators() == ()


def test_the_watched_loop_runs_the_original_whatever_happens() -> None:
    calls: list[tuple[int, ...]] = []

    def original(dataset: Any, worker_id: int, base_seed: int = 0) -> str:
        calls.append((worker_id,))
        return "ran"

    assert watched_loop(original, lambda: None)(Holder(), 1) == "ran"
    assert watched_loop(original, lambda: Board())(Holder(), worker_id=NUM_WATCHED) == "ran"

    def broken() -> Board:
        raise OSError

    assert watched_loop(original, broken)(Holder(), 0) == "ran" and len(calls) == 3


def test_what_is_too_long_for_a_slot_is_not_told() -> None:
    board = Board()
    board.write(0, {"x" * 10_000: ("Random", ["a", "b", "c"])})
    assert board.read() == {}


def test_what_a_worker_drew_from_is_told_with_its_seed() -> None:
    board = Board()
    for _ in range(2):
        run_worker(board, 1, Holder(rng=random.Random(3)))
    (told,) = board.workers()
    assert told.number == 1 and [name for name, _ in told.streams] == ["dataset.rng"]
