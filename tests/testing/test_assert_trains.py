"""`sf.testing.assert_trains` in this process."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import surefoot as sf
from surefoot.sanitizer import Sanitizer
from surefoot.testing import assert_trains

X = torch.linspace(-1, 1, 64).reshape(16, 4)


def training(steps: int = 20, *, lr: float = 0.1, clear: bool = True, divide: int = 1) -> Callable[[], None]:
    def train() -> None:
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for _ in range(steps):
            if clear:
                optimizer.zero_grad()
            for _ in range(divide):
                (torch.nn.functional.mse_loss(model(X), X.sum(1, keepdim=True)) / divide).backward()
            optimizer.step()

    return train


def losses_of(steps: int) -> list[float]:
    """The losses of a plain loop, written out."""
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(X), X.sum(1, keepdim=True))
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return losses


def test_a_right_training_passes() -> None:
    assert_trains(training())
    assert Sanitizer.running is None


@pytest.mark.parametrize("divide", [1, 2])
def test_at_most_is_compared_with_the_exact_loss(divide: int) -> None:
    """Also where the program divides it."""
    losses = losses_of(20)
    first, last = sum(losses[:2]) / 2, sum(losses[-2:]) / 2
    assert_trains(training(divide=divide), at_most=last * 1.0001)
    said = (
        f"the loss fell too little: {first:.4g} over the first 2 of 20 steps, {last:.4g} over the last 2; at_most is "
    )
    with pytest.raises(AssertionError, match=re.escape(said)):
        assert_trains(training(divide=divide), at_most=last * 0.9999)


def test_steps_ends_the_function() -> None:
    losses = losses_of(5)
    said = f"{losses[0]:.4g} at the first of 5 steps, {losses[4]:.4g} at the last; at_most is 0."
    with pytest.raises(AssertionError, match=re.escape(said)):
        assert_trains(training(10**6), steps=5, at_most=0)


def test_a_loss_that_rises_did_not_fall() -> None:
    with pytest.raises(AssertionError, match=r"the loss did not fall: .* over the first 2 of 20 steps"):
        assert_trains(rising)


def rising() -> None:
    """Each step's target is further away."""
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for step in range(20):
        optimizer.zero_grad()
        (model(torch.ones(4, 1)) - 10 * step).square().mean().backward()
        optimizer.step()


def test_a_finding_fails_from_its_level_on() -> None:
    with pytest.raises(AssertionError, match=r"error\[stale-gradients\] at .*test_assert_trains.py:\d+\n") as raised:
        assert_trains(training(clear=False))
    assert "fix: call optimizer.zero_grad() once per step" in str(raised.value)


def test_a_loop_is_judged_as_any_training(tmp_path: Any) -> None:
    def train() -> None:
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 1)
        loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), progress=False, log=tmp_path)
        for x in loop.batches([X] * 20, epochs=1):
            with loop.step() as step:
                step.backward(torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)))

    last = sum(losses_of(20)[-2:]) / 2
    assert_trains(train, at_most=last * 1.0001)
    with pytest.raises(AssertionError, match=f"{last:.4g} over the last 2; at_most is"):
        assert_trains(train, at_most=last * 0.9999)


def test_an_exception_of_the_training_comes_through() -> None:
    def train() -> None:
        training(2)()
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        assert_trains(train)
    assert Sanitizer.running is None


def test_a_running_watch_is_shared() -> None:
    with sf.watch(on_finding=lambda finding: None) as watch:
        assert_trains(training(10**6), steps=6)
        training(3)()
        with pytest.raises(AssertionError, match="stale-gradients"):
            assert_trains(training(clear=False))
    assert watch.report().steps == 6 + 3 + 20


@pytest.mark.parametrize(
    ("train", "said"),
    [
        (lambda: None, "train() took no optimizer step. Pass a function that trains when it is called."),
        (training(1), "one step can't show that the loss falls. Train for more steps."),
        (lambda: step_without_loss(), "no loss was seen: train() called backward() on no single number"),
    ],
)
def test_what_can_not_be_told_is_an_error(train: Callable[[], None], said: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(said)):
        assert_trains(train)


def step_without_loss() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(3):
        weight.grad = torch.ones(2)
        optimizer.step()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"train": 5}, "train must be a function without arguments that trains, got int."),
        ({"steps": 1}, "steps must be at least 2, got 1. Leave it out to train to the end."),
        ({"at_most": "0.1"}, "at_most must be a loss, got '0.1'."),
        ({"level": "never"}, 'level must be "error", "warning" or "note", got \'never\'.'),
    ],
)
def test_wrong_arguments_are_refused_before_training(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        assert_trains(**{"train": lambda: pytest.fail("trained"), **wrong})
