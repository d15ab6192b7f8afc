"""Findings name the user's function, not the line that starts the loop of a framework; here, a stand-in for one."""

import functools
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from surefoot.watch.framework.entry_points import ENTRY_POINTS, _forward, _keras, _lightning, _skorch
from surefoot.watch.framework.framework_probe import code_of
from tests.watch.watching import Watched, watching

TRAINER = """
class Trainer:
    def fit(self, model, optimizer):
        model.training_step().backward()
        optimizer.step()
        optimizer.zero_grad()
"""
NAME = "lightning.pytorch.trainer.trainer"


class Module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 1)

    def training_step(self) -> torch.Tensor:
        return self.linear(torch.ones(3, 2)).square().mean()


class Second(Module):
    def training_step(self) -> torch.Tensor:
        return super().training_step() * 2


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    library = ModuleType(NAME)
    exec(compile(TRAINER, "/x/site-packages/lightning/pytorch/trainer/trainer.py", "exec"), library.__dict__)
    monkeypatch.setitem(sys.modules, NAME, library)
    with watching() as watched:
        yield watched


def fit(*models: nn.Module) -> None:
    trainer = sys.modules[NAME].Trainer()  # type: ignore[attr-defined]
    for model in models:
        trainer.fit(model, torch.optim.SGD(model.parameters(), 0.1))


def line_of(function: Any) -> int:
    return int(function.__code__.co_firstlineno)


def test_steps_are_those_of_the_users_function(watched: Watched) -> None:
    fit(Module(), Second())
    first, second = watched.steps
    assert first.site is not None and second.site is not None
    assert (first.site.file, first.site.line) == (__file__, line_of(Module.training_step))
    assert first.site.function == "Module.training_step"
    assert first.site.callers[0] == (__file__, line_of(fit) + 3)
    assert second.site.line == line_of(Second.training_step), "another model is trained from the same line"
    assert first.backwards[0].site is not None
    assert first.backwards[0].site.place == first.site.place


def test_a_model_of_a_library_leaves_the_line_that_trains_it(watched: Watched) -> None:
    module = nn.Linear(2, 1)
    module.training_step = lambda: module(torch.ones(3, 2)).mean()  # type: ignore[assignment]
    fit(Module(), module)
    assert watched.steps[1].site is not None
    assert watched.steps[1].site.line == line_of(fit) + 3


def test_the_function_behind_decorators_partials_and_objects() -> None:
    def plain() -> None: ...

    @functools.wraps(plain)
    def decorated() -> None: ...

    class Called:
        def __call__(self) -> None: ...

    assert code_of(decorated) is plain.__code__
    assert code_of(functools.partial(plain)) is plain.__code__
    assert code_of(Module().training_step) is Module.training_step.__code__
    assert code_of(Called()) is Called.__call__.__code__
    assert code_of(nn.MSELoss()) is nn.MSELoss.forward.__code__
    assert code_of(3) is None


def test_candidates_come_from_the_most_telling_to_the_least() -> None:
    wrapped = nn.Module()
    wrapped.module = Module()
    assert list(_forward(wrapped)) == [nn.Module.forward, Module.forward]
    assert next(_lightning(None, Second())) is Second.training_step

    class Net:
        module = Module
        train_step_single = train_step = get_loss = lambda self: None

    assert list(_skorch(Net()))[-1] is Module.forward

    class Model:
        loss = train_step = compute_loss = call = lambda self: None

    assert len(list(_keras(Model()))) == 4
    assert len({entry.module for entry in ENTRY_POINTS}) == len(ENTRY_POINTS)
