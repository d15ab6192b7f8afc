"""Windows that are only observed: everything comes out as if each had been accounted for at once."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from surefoot.facts import StepFacts
from surefoot.watch.settings import Settings
from tests.watch.watching import Watched, watching

STEPS = 100  # of which the first ones are armed, and some after them


def loss_of(model: nn.Module) -> Any:
    x = torch.randn(8, 4)
    return functional.mse_loss(model(x), x.sum(1, keepdim=True))


def make(parameters: Any = ()) -> tuple[nn.Linear, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    return model, torch.optim.SGD([*model.parameters(), *parameters], lr=0.01)


def run(program: Callable[[Watched], None], *, thorough: bool = False) -> tuple[list[tuple[int, int, float]], Watched]:
    """The losses that are told, by optimizer and step, and the watch."""
    told: list[tuple[int, int, float]] = []
    with watching() as watched:
        watched.settings = Settings(thorough=thorough)
        watched.losses.listeners.append(
            lambda optimizer, step, loss, factor, rate: told.append((optimizer, step, loss))
        )
        program(watched)
    return told, watched


def test_a_plain_loop_is_steady_most_of_the_time() -> None:
    observed = []

    def program(watched: Watched) -> None:
        model, optimizer = make()
        for _ in range(STEPS):
            optimizer.zero_grad()
            observed.append(watched.tap.is_steady)
            loss_of(model).backward()
            optimizer.step()

    run(program)
    assert sum(observed) > STEPS / 3


def test_the_loss_of_an_earlier_backward_is_told_whatever_came_between() -> None:
    """One optimizer's gradients wait while another steps, once or three times."""

    def program(watched: Watched) -> None:
        first, one = make()
        second, two = make()
        for i in range(STEPS):
            one.zero_grad()
            loss_of(first).backward()
            for _ in range(3 if i % 3 == 0 else 1):
                two.zero_grad()
                loss_of(second).backward()
                two.step()
            one.step()

    told, _ = run(program)
    assert told == run(program, thorough=True)[0]


def gradients_of(step: StepFacts) -> list[tuple[int, ...]]:
    return [gradient.sources for gradient in step.gradients]


def test_a_window_that_differs_is_told_with_the_right_backwards() -> None:
    def program(watched: Watched) -> None:
        model, optimizer = make()
        for i in range(STEPS):
            if i != 80:
                optimizer.zero_grad()
            loss_of(model).backward()
            optimizer.step()

    _, watched = run(program)
    (step,) = [step for step in watched.steps if step.index == 81]
    assert gradients_of(step) == [(80, 81)]
    assert [gradient.used_by for gradient in step.gradients] == [(80,)]


def test_an_optimizer_without_parameters_steps() -> None:
    def program(watched: Watched) -> None:
        model, optimizer = make()
        empty = torch.optim.SGD([{"params": []}], lr=0.1)
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss_of(model).backward()
            optimizer.step()
            empty.step()

    _, watched = run(program)
    assert watched.num_steps == 2 * STEPS


@pytest.mark.filterwarnings("ignore:The total norm")
def test_warnings_name_the_line_of_the_program() -> None:
    named = set()

    def program(watched: Watched) -> None:
        model, optimizer = make()
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss_of(model).backward()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                torch.autograd.backward(loss_of(model), grad_variables=torch.tensor(1.0))
            named.update(each.filename for each in caught)
            optimizer.step()

    run(program)
    assert len(named) == 1, named
    assert not any("surefoot/watch" in name for name in named)
