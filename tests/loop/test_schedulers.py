"""Schedulers of torch as they are: per update, per epoch, by a measured value, several at once, in checkpoints."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ExponentialLR, LinearLR, ReduceLROnPlateau, StepLR

import surefoot as sf
from surefoot.loop.saving import OtherCheckpointError
from tests.loop.training import make_batches, make_model

BATCHES = make_batches([4, 4, 4])
Make = Callable[[Optimizer], Any]


def make_loop(make: Make, model: nn.Module | None = None, **settings: Any) -> tuple[nn.Module, Optimizer, sf.Loop]:
    model = make_model() if model is None else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return (
        model,
        optimizer,
        sf.Loop(model, optimizer, scheduler=make(optimizer), progress=False, watch=False, log=None, **settings),
    )


def rate(optimizer: Optimizer) -> float:
    return float(optimizer.param_groups[0]["lr"])


def flat(optimizer: Optimizer, **settings: Any) -> ReduceLROnPlateau:
    """Nothing is ever enough of an improvement: after the first value each one halves the rate."""
    return ReduceLROnPlateau(optimizer, factor=0.5, patience=0, threshold=0.999, **settings)


@pytest.mark.parametrize(
    "make",
    [
        lambda other: StepLR(other, 1),
        lambda other: sf.schedule.per_epoch(StepLR(other, 1)),
        lambda other: ReduceLROnPlateau(other),
        lambda other: [StepLR(other, 1)],
        lambda other: {"": StepLR(other, 1)},
    ],
)
def test_a_scheduler_of_another_optimizer_is_refused(make: Make) -> None:
    other = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
    with pytest.raises(ValueError, match="was made for another optimizer"):
        make_loop(lambda optimizer: make(other))


@pytest.mark.parametrize(
    ("given", "said"),
    [(0.1, "a scheduler has step"), ([None], "a scheduler has step"), ("cosine", "CosineAnnealingLR")],
)
def test_what_is_no_scheduler_is_refused(given: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        make_loop(lambda optimizer: given)


def test_several_schedulers_are_all_advanced() -> None:
    _, optimizer, loop = make_loop(lambda o: [LinearLR(o, 0.5, 1.0, 2), ExponentialLR(o, 0.9)])
    loop.fit(BATCHES, F.cross_entropy, epochs=1)
    assert rate(optimizer) == pytest.approx(0.1 * 0.9**3)
    assert loop.history["lr"] == pytest.approx([0.05, 0.075 * 0.9, 0.1 * 0.81])


def test_of_several_optimizers_each_gets_its_own() -> None:
    model = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    optimizers = {name: torch.optim.SGD(part.parameters(), lr=0.1) for name, part in model.items()}
    schedulers = [StepLR(optimizers["b"], 1, gamma=0.5), ExponentialLR(optimizers["a"], 0.9)]
    loop = sf.Loop(dict(model), optimizers, scheduler=schedulers, progress=False, watch=False, log=None)
    for name in ("a", "b", "b"):
        with loop.step(name) as step:
            step.backward(model[name](torch.ones(1, 2)).mean())
    assert [rate(optimizer) for optimizer in optimizers.values()] == pytest.approx([0.09, 0.025])


def test_per_epoch() -> None:
    _, _, loop = make_loop(lambda o: sf.schedule.per_epoch(StepLR(o, 2, gamma=0.5)), accumulate=2)
    loop.fit(BATCHES, F.cross_entropy, epochs=5)
    assert loop.history["lr"] == pytest.approx([0.1] * 4 + [0.05] * 4 + [0.025] * 2)


def test_a_plateau_follows_the_validation_loss() -> None:
    _, optimizer, loop = make_loop(flat)
    loop.fit(BATCHES, F.cross_entropy, epochs=4, validate=BATCHES)
    assert rate(optimizer) == pytest.approx(0.1 / 8)
    assert loop.history["lr"] == pytest.approx([0.1] * 6 + [0.05] * 3 + [0.025] * 3)


def test_without_one_a_plateau_follows_the_mean_training_loss_of_an_epoch() -> None:
    seen: list[float] = []

    class Noting(ReduceLROnPlateau):
        def step(self, metrics: Any, epoch: int | None = None) -> None:
            seen.append(metrics)
            super().step(metrics, epoch)

    _, _, loop = make_loop(lambda o: Noting(o))
    loop.fit(BATCHES, F.cross_entropy, epochs=2)
    losses = loop.history["loss"]
    assert seen == pytest.approx([sum(losses[:3]) / 3, sum(losses[3:]) / 3])


def test_in_a_loop_by_hand_a_plateau_waits_for_what_is_shown() -> None:
    model, optimizer, loop = make_loop(flat)
    for epoch in range(3):
        for x, y in loop.batches(BATCHES):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
        assert rate(optimizer) == pytest.approx(0.1 / 2 ** max(epoch - 1, 0))
        loop.see({"val/loss": 1.0})
    assert rate(optimizer) == pytest.approx(0.1 / 4)


def test_a_plateau_may_follow_another_value() -> None:
    _, optimizer, loop = make_loop(lambda o: sf.schedule.on_metric(flat(o, mode="max"), "val/accuracy"))
    with pytest.raises(ValueError, match="a scheduler waits for 'val/accuracy', which fit"):
        loop.fit(BATCHES, F.cross_entropy, epochs=1)
    metrics = {"accuracy": lambda outputs, targets: 0.5}
    loop.fit(BATCHES, F.cross_entropy, epochs=3, validate=BATCHES, metrics=metrics)
    assert rate(optimizer) == pytest.approx(0.1 / 4)


def test_a_plateau_of_a_value_that_rises_has_to_name_it() -> None:
    with pytest.raises(ValueError, match=r'mode="max".*sf\.schedule\.on_metric\(scheduler, "val/accuracy"\)'):
        make_loop(lambda o: ReduceLROnPlateau(o, mode="max"))


def all_kinds(optimizer: Optimizer) -> list[Any]:
    return [ExponentialLR(optimizer, 0.9), sf.schedule.per_epoch(StepLR(optimizer, 1, gamma=0.8)), flat(optimizer)]


def test_all_kinds_go_on_after_a_resume(tmp_path: Path) -> None:
    _, _, loop = make_loop(all_kinds)
    loop.fit(BATCHES, F.cross_entropy, epochs=4)
    expected = loop.history["lr"]
    model, _, loop = make_loop(all_kinds, checkpoint=tmp_path)
    for num, (x, y) in enumerate(loop.batches(BATCHES, epochs=4), 1):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if num == 8:
            loop.save()
            break
    _, _, loop = make_loop(all_kinds, checkpoint=tmp_path)
    assert loop.resume()
    loop.fit(BATCHES, F.cross_entropy, epochs=4)
    assert loop.history["lr"] == expected


def test_a_checkpoint_of_another_number_of_schedulers_is_refused(tmp_path: Path) -> None:
    _, _, loop = make_loop(lambda o: None)
    loop.fit(BATCHES, F.cross_entropy, epochs=1)
    loop.save(tmp_path / "a.pt")
    _, _, loop = make_loop(lambda o: StepLR(o, 1))
    with pytest.raises(OtherCheckpointError, match=r"saved with 0 schedulers, and the loop has 1: .* start over"):
        loop.resume(tmp_path / "a.pt")


def test_the_state_of_one_scheduler_by_itself_is_read(tmp_path: Path) -> None:
    """As checkpoints of version 0.1 have it."""
    _, optimizer, loop = make_loop(lambda o: StepLR(o, 1, gamma=0.5))
    one = StepLR(optimizer, 1, gamma=0.5)
    one.last_epoch = 7
    loop._updaters[""].scheduler.load_state_dict(one.state_dict())
    assert loop._updaters[""].scheduler.per_update[0].last_epoch == 7
