"""A feed draws what a plain loop draws, with the same random numbers, and goes on from any batch unnoticed."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from surefoot.loop import trail
from surefoot.loop.checkpoint import read, rng, write
from surefoot.loop.feed import Feed
from tests.loop.loaders import LOADERS, WITH_WORKERS, ShuffleBuffer, of

EPOCHS = 3
Trace = list[list[float]]


def seed(number: int = 0) -> None:
    random.seed(number)
    np.random.seed(number)
    torch.manual_seed(number)


def draw_as_a_model_does() -> list[float]:
    return [random.random(), float(np.random.rand()), *torch.rand(2, dtype=torch.float64).tolist()]


def note(batch: Any) -> list[float]:
    if isinstance(batch, list):  # TensorDataset
        batch = batch[0]
    return [*batch.double().flatten().tolist(), *draw_as_a_model_does()]


def plain_loop(loader: Any) -> Trace:
    trace = []
    for epoch in range(EPOCHS):
        if hasattr(getattr(loader, "sampler", None), "set_epoch"):
            loader.sampler.set_epoch(epoch)
        trace += [note(batch) for batch in (loader() if callable(loader) else loader)]
    return [*trace, draw_as_a_model_does()]


def draw_rest(feed: Feed) -> Iterator[list[float]]:
    for _ in feed.epochs():
        for batch in feed.batches():
            yield note(batch)
    yield draw_as_a_model_does()


def snapshot(feed: Feed) -> dict[str, Any]:
    return {"feed": feed.state(), "rng": rng.capture()}


def go_on(make: Callable[[], Any], saved: dict[str, Any], epochs: int = EPOCHS) -> Trace:
    seed(99)
    feed = Feed(make(), epochs)
    feed.restore(saved["feed"])
    rng.restore(saved["rng"])
    return list(draw_rest(feed))


@pytest.mark.parametrize("name", [*LOADERS, *WITH_WORKERS])
def test_draws_what_a_plain_loop_draws(name: str) -> None:
    make = {**LOADERS, **WITH_WORKERS}[name]
    seed()
    expected = plain_loop(make())
    seed()
    assert list(draw_rest(Feed(make(), EPOCHS))) == expected


@pytest.mark.parametrize("name", LOADERS)
def test_goes_on_after_any_batch(name: str, tmp_path: Path) -> None:
    make = LOADERS[name]
    seed()
    feed = Feed(make(), EPOCHS)
    trace, saved = [], []
    for noted in draw_rest(feed):
        trace.append(noted)
        write(tmp_path / "file", snapshot(feed))
        saved.append(read(tmp_path / "file"))
    for position, state in list(enumerate(saved[:-1]))[:: 1 + len(saved) // 14]:
        assert go_on(make, state) == trace[position + 1 :], position
    assert go_on(make, saved[-1])[:-1] == []


@pytest.mark.parametrize("name", WITH_WORKERS)
@pytest.mark.filterwarnings("ignore:The workers' random states")
@pytest.mark.parametrize("position", [1, 6])
def test_goes_on_with_workers(name: str, position: int) -> None:
    make = WITH_WORKERS[name]
    seed()
    feed = Feed(make(), EPOCHS)
    trace: Trace = []
    for noted in draw_rest(feed):
        trace.append(noted)
        if len(trace) == position + 1:
            saved = snapshot(feed)
    assert go_on(make, saved) == trace[position + 1 :]


def test_goes_on_a_second_time() -> None:
    make = LOADERS["iterable"]
    seed()
    trace = list(draw_rest(Feed(make(), EPOCHS)))
    seed()
    feed = Feed(make(), EPOCHS)
    rest = draw_rest(feed)
    for position in range(len(trace) - 1):
        assert next(rest) == trace[position]
        state = snapshot(feed)
        seed(position)
        feed = Feed(make(), EPOCHS)
        feed.restore(state["feed"])
        rng.restore(state["rng"])
        rest = draw_rest(feed)


def test_goes_on_after_the_end_of_an_epoch() -> None:
    make = LOADERS["own generator"]
    seed()
    feed = Feed(make(), EPOCHS)
    trace: Trace = []
    for epoch in feed.epochs():
        trace += [note(batch) for batch in feed.batches()]
        if epoch == 1:
            num_before, saved = len(trace), snapshot(feed)
    assert go_on(make, saved)[:-1] == trace[num_before:]


def test_goes_on_before_the_first_batch() -> None:
    make = LOADERS["shuffled"]
    seed()
    feed = Feed(make(), EPOCHS)
    saved = snapshot(feed)
    rest = list(draw_rest(feed))
    assert go_on(make, saved) == rest


def test_workers_that_live_on_go_on_after_an_epoch_and_say_what_it_costs() -> None:
    make = WITH_WORKERS["2 workers that live on"]
    seed()
    feed = Feed(make(), EPOCHS)
    trace: Trace = []
    for epoch in feed.epochs():
        trace += [note(batch) for batch in feed.batches()]
        if epoch == 1:
            num_before, saved = len(trace), snapshot(feed)
    with pytest.warns(UserWarning, match="1 earlier epochs are made again .* persistent_workers=True"):
        assert go_on(make, saved)[:-1] == trace[num_before:]


@pytest.mark.filterwarnings("ignore:The workers' random states")
def test_workers_that_live_on_longer_than_a_feed() -> None:
    make = WITH_WORKERS["2 workers that live on"]
    seed()
    loader = make()
    for _ in range(2):  # as a program does that loops over epochs by itself
        list(draw_rest(Feed(loader, 1)))
    left = Feed(loader, 1).batches()
    next(left)
    feed = Feed(loader, 2)
    rest = draw_rest(feed)
    next(rest)
    saved = snapshot(feed)
    expected = list(rest)
    assert go_on(make, saved, epochs=2) == expected


def test_restoring_leaves_the_random_states_of_the_process() -> None:
    feed = Feed(LOADERS["shuffled"](), 2)
    next(feed.batches())
    state = feed.state()
    seed(7)
    expected = draw_as_a_model_does()
    seed(7)
    Feed(LOADERS["shuffled"](), 2).restore(state)
    assert draw_as_a_model_does() == expected


def test_position_in_the_epoch() -> None:
    feed = Feed([10, 11, 12], 2)
    seen = [(feed.epoch, feed.num_drawn, feed.is_last) for _ in feed.epochs() for _ in feed.batches()]
    assert seen == [(0, 1, False), (0, 2, False), (0, 3, True), (1, 1, False), (1, 2, False), (1, 3, True)]
    assert feed.length == 3


@pytest.mark.parametrize("make", [LOADERS["iterable"], LOADERS["function"]])
def test_no_last_batch_is_named_where_the_length_is_not_certain(make: Callable[[], Any]) -> None:
    feed = Feed(make(), 1)
    next(feed.batches())
    assert feed.length is None
    assert feed.is_last is None


def test_leaving_an_epoch_early_starts_the_next_one_anew() -> None:
    feed = Feed([1, 2, 3], 2)
    assert [next(feed.batches()) for _ in feed.epochs()] == [1, 1]


def test_no_epochs_means_without_end() -> None:
    feed = Feed([1], None)
    assert [epoch for epoch, _ in zip(feed.epochs(), range(50), strict=False)] == list(range(50))


def test_an_iterator_can_be_run_through_once() -> None:
    feed = Feed(iter([1, 2]), 1)
    assert [batch for _ in feed.epochs() for batch in feed.batches()] == [1, 2]


@pytest.mark.parametrize(("epochs", "many"), [(3, "3 times"), (None, "without end")])
def test_an_iterator_is_refused_for_more(epochs: int | None, many: str) -> None:
    with pytest.raises(ValueError, match=f"run through {many}, but a generator .* function that makes it"):
        Feed((batch for batch in [1]), epochs)


def test_a_function_that_hands_out_one_iterator_is_found_out() -> None:
    once = iter([1, 2])
    feed = Feed(lambda: once, 2)
    with pytest.raises(ValueError, match="gave 2 batches in epoch 0 and none in epoch 1"):
        [list(feed.batches()) for _ in feed.epochs()]


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="epochs must be a whole number, at least 1, got 0"):
        Feed([1], 0)
    with pytest.raises(TypeError, match=r"A loader is a DataLoader.*got int"):
        Feed(3, 1)  # type: ignore[arg-type]


def test_another_loader_is_refused() -> None:
    feed = Feed([1, 2, 3], 2)
    next(feed.batches())
    with pytest.raises(ValueError, match="gives 2 batches an epoch, but the one of the checkpoint gave 3 batches"):
        Feed([1, 2], 2).restore(feed.state())


def test_a_loader_that_became_shorter_is_refused() -> None:
    feed = Feed(lambda: iter([1, 2, 3]), 2)
    batches = feed.batches()
    next(batches), next(batches)
    with pytest.raises(ValueError, match="ended after 1 batch, but the checkpoint was written after 2 batches"):
        Feed(lambda: iter([1]), 2).restore(feed.state())


def test_fewer_epochs_than_done_are_done() -> None:
    feed = Feed([1, 2], 3)
    epochs = feed.epochs()
    for _ in range(3):
        next(epochs)
    shorter = Feed([1, 2], 1)
    shorter.restore(feed.state())
    assert list(shorter.epochs()) == []


def test_every_part_is_told_the_epoch_once() -> None:
    class Told:
        def __init__(self) -> None:
            self.epochs: list[int] = []

        def set_epoch(self, epoch: int) -> None:
            self.epochs.append(epoch)

    class Loader:
        def __init__(self) -> None:
            self.dataset, self.sampler = Told(), Told()
            self.batch_sampler = Told()
            self.batch_sampler.sampler = self.sampler  # type: ignore[attr-defined]

        def __iter__(self) -> Iterator[int]:
            return iter([1])

    loader = Loader()
    feed = Feed(loader, 2)
    assert [draw for _ in feed.epochs() for draw in feed.batches()] == [1, 1]
    assert loader.dataset.epochs == loader.sampler.epochs == loader.batch_sampler.epochs == [0, 1]


def test_a_trail_that_grew_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail, "MOST_BATCHES", 1)
    feed = Feed(of(ShuffleBuffer)(), 1)
    for _ in feed.batches():
        torch.rand(1)
    with pytest.warns(UserWarning, match="Give the loader a generator of its own"):
        Feed(of(ShuffleBuffer)(), 1).restore(feed.state())


@pytest.mark.parametrize("name", ["shuffled", "tensors", "list"])
def test_loaders_that_remember_nothing_leave_no_trail(name: str) -> None:
    feed = Feed(LOADERS[name](), 1)
    for _ in feed.batches():
        torch.rand(1)
    assert feed.state()["trail"] == {"states": {}, "after": {}, "is_whole": True}
