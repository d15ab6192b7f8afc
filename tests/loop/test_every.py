"""How often a loop saves and validates, and what a program is told of updates."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.loop import passes
from tests.loop.training import all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def make_loop(**settings: Any) -> tuple[nn.Module, sf.Loop]:
    model = make_model(dropout=0.3)
    return model, sf.Loop(model, torch.optim.AdamW(model.parameters(), lr=0.01), progress=False, **settings)


def validated_at(loop: sf.Loop) -> list[int]:
    return [row["update"] for row in loop.history if "val/loss" in row]


def saved_at(folder: Path) -> list[int]:
    return sorted(int(path.name.split("-")[2].split(".")[0]) for path in folder.iterdir())


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (2, [2, 4, 6, 8]),
        (sf.every(updates=3), [3, 6, 9]),  # update 3 is the short window at an epoch's end
        (sf.every(epochs=2), [6]),
        (None, [3, 6, 9]),
    ],
)
def test_validation_every_so_often(every: Any, expected: list[int]) -> None:
    _, loop = make_loop(accumulate=2)
    loop.fit(make_batches([4] * 5), F.cross_entropy, 3, validate=make_batches([8], seed=1), validate_every=every)
    assert validated_at(loop) == expected


def test_checkpoints_every_so_many_epochs_over_all_calls_of_batches(tmp_path: Path) -> None:
    model, loop = make_loop(checkpoint=tmp_path, checkpoint_every=sf.every(epochs=2), keep=9)
    for _ in range(4):
        for x, y in loop.batches(make_batches([4] * 3)):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
    assert (loop.num_epochs, saved_at(tmp_path)) == (4, [6, 12])


def test_every_so_many_seconds_of_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()
    monkeypatch.setattr(passes, "perf_counter", lambda: float(next(clock)))  # one second a batch
    _, loop = make_loop(checkpoint=tmp_path, checkpoint_every=sf.every(seconds=3), keep=9)
    batches, held_out = make_batches([4] * 8), make_batches([4], seed=1)
    loop.fit(batches, F.cross_entropy, 1, validate=held_out, validate_every=sf.every(seconds=2.5))
    assert saved_at(tmp_path) == [4, 7]  # after the first update by whose start 3 and 6 seconds had passed
    assert validated_at(loop) == [4, 6]


def test_validating_moves_nothing_of_the_training() -> None:
    """A DataLoader draws from torch's generator whenever it is started, and a shuffling one from its own too."""
    own = torch.Generator().manual_seed(1)
    held_out = DataLoader(TensorDataset(*make_batches([16], seed=1)[0]), batch_size=4, shuffle=True, generator=own)
    ended = []
    for every in (1, 7):
        model, loop = make_loop()
        torch.manual_seed(3)
        loop.fit(make_batches([4] * 10), F.cross_entropy, 2, validate=held_out, validate_every=every)
        ended.append(weights(model))
    assert all_equal(*ended)
    assert torch.equal(own.get_state(), torch.Generator().manual_seed(1).get_state())


class KilledError(Exception):
    """Stands for a SIGKILL: nothing is done about it."""


def test_a_resumed_run_validates_exactly_when_the_undisturbed_one_does(tmp_path: Path) -> None:
    train, held_out = make_batches([4] * 5), make_batches([8, 8], seed=1)
    for last in (None, *range(1, 17)):  # the call of the loss in which it is killed, in a validation too
        calls = count(1)

        def loss_fn(outputs: Tensor, targets: Tensor, last: int | None = last, calls: Any = calls) -> Tensor:
            if next(calls) == last:
                raise KilledError
            return F.cross_entropy(outputs, targets)

        folder = tmp_path / str(last)
        model, loop = make_loop(accumulate=2, checkpoint=folder, checkpoint_every=1)
        if last is not None:
            with pytest.raises(KilledError):
                loop.fit(train, loss_fn, 2, validate=held_out, validate_every=2)
            model, loop = make_loop(accumulate=2, checkpoint=folder)
            loop.resume()
        loop.fit(train, F.cross_entropy, 2, validate=held_out, validate_every=2)
        if last is None:
            expected, history = weights(model), list(loop.history)
        assert all_equal(expected, weights(model))
        assert list(loop.history) == history


def test_a_program_is_told_of_updates() -> None:
    model, loop = make_loop(accumulate=2)
    told, after, at_end = [], [], []
    batches = loop.batches(
        make_batches([4] * 5), 2, after_update=lambda: after.append(loop.num_updates),
        at_epoch_end=lambda: at_end.append((loop.updated, loop.num_updates)),
    )  # fmt: skip
    for x, y in batches:
        assert not loop.updated
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        told.append(loop.updated)
    assert told == [False, True, False, True, False] * 2
    assert after == [1, 2, 3, 4, 5, 6]
    assert at_end == [(True, 3), (True, 6)]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, r"one of updates=, epochs= and seconds=, got 0"),
        ({"updates": 1, "epochs": 1}, r"got 2 of them"),
        ({"updates": 0}, "updates must be at least 1"),
        ({"epochs": 1.5}, "epochs must be a whole number"),
        ({"seconds": 0}, "seconds must be above 0, got 0"),
    ],
)
def test_every_that_can_not_be(settings: dict[str, Any], says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        sf.every(**settings)


def test_validating_every_so_often_needs_data() -> None:
    _, loop = make_loop()
    with pytest.raises(ValueError, match=r"validate_every needs data: loop\.fit"):
        loop.fit([], F.cross_entropy, 1, validate_every=3)
    with pytest.raises(ValueError, match=r"validate_every counts updates and must be at least 1, got 0\. For epochs"):
        loop.fit([], F.cross_entropy, 1, validate=[], validate_every=0)
