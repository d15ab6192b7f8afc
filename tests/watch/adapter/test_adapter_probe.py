"""Steps of optimizers that are none of torch's, with small stand-ins for the libraries that have them."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from surefoot.watch.adapter import keras
from tests.watch.watching import Watched, watching


class Variable:
    def __init__(self, value: Tensor) -> None:
        self.value = value


class BaseOptimizer:
    """As Keras documents it: `build` with variables, then `apply` with a gradient for each."""

    gradient_accumulation_steps: int | None = None

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = Variable(torch.tensor(learning_rate))

    def build(self, variables: list[Variable]) -> None:
        self._trainable_variables = variables

    def apply(self, grads: Any, trainable_variables: Any = None) -> str:
        for gradient, variable in zip(grads, trainable_variables or self._trainable_variables, strict=True):
            variable.value -= self.learning_rate.value * gradient
        return "applied"


class Optimizer:
    """As fastai's."""

    def __init__(self, params: list[list[Tensor]], lr: float) -> None:
        self.param_lists, self.hypers = params, [{"lr": lr} for _ in params]

    def zero_grad(self) -> None:
        for param in self.param_lists[0]:
            if param.grad is not None:
                param.grad.zero_()

    def step(self) -> None:
        for params, hyper in zip(self.param_lists, self.hypers, strict=True):
            for param in params:
                assert param.grad is not None
                param.data.add_(param.grad, alpha=-hyper["lr"])


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    for name, owner in (("keras.src.optimizers.base_optimizer", BaseOptimizer), ("fastai.optimizer", Optimizer)):
        module = ModuleType(name)
        copied = type(
            owner.__name__, (), {k: v for k, v in vars(owner).items() if k not in ("__dict__", "__weakref__")}
        )
        setattr(module, owner.__name__, copied)
        monkeypatch.setitem(sys.modules, name, module)
    with watching() as watched:
        yield watched


def keras_like(lr: float = 0.1) -> Any:
    return sys.modules["keras.src.optimizers.base_optimizer"].BaseOptimizer(lr)  # type: ignore[attr-defined]


def backward(model: nn.Module) -> None:
    model.zero_grad()
    nn.functional.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1)).backward()


def test_steps_of_keras_are_steps(watched: Watched) -> None:
    model = nn.Linear(3, 1)
    variables = [Variable(param) for param in model.parameters()]
    optimizer = keras_like()
    optimizer.build(variables)
    before = model.weight.detach().clone()
    for _ in range(3):
        backward(model)
        with torch.no_grad():
            assert optimizer.apply([variable.value.grad for variable in variables], variables) == "applied"
    first = watched.steps[0]
    assert watched.num_steps == 3
    assert first.lrs == pytest.approx((0.1,))
    assert first.window
    assert watched.not_watched == {}
    assert not torch.equal(model.weight, before)


def test_steps_with_gradients_of_its_own_are_counted_and_told(watched: Watched) -> None:
    model = nn.Linear(3, 1)
    variables = [Variable(param) for param in model.parameters()]
    optimizer, other = keras_like(), keras_like()
    optimizer.build(variables)
    other.build(variables)
    other.gradient_accumulation_steps = 2
    backward(model)
    gradients = [variable.value.grad for variable in variables]
    with torch.no_grad():
        optimizer.apply([gradient * 2 for gradient in gradients])
        optimizer.apply(iter(gradients))
        other.apply(gradients)
        keras_like().apply(gradients, variables)
    assert watched.num_steps == 0
    assert watched.not_watched == {
        f"Keras's BaseOptimizer: {why}": 1
        for why in (keras.GIVEN, keras.ITERATOR, keras.ACCUMULATES, "it had no parameters so far")
    }


def test_steps_and_clears_of_fastai_are_seen_with_each_groups_rate(watched: Watched) -> None:
    model = nn.Linear(3, 1)
    optimizer = sys.modules["fastai.optimizer"].Optimizer([[model.weight], [model.bias]], 0.5)  # type: ignore[attr-defined]
    for _ in range(2):
        nn.functional.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1)).backward()
        optimizer.hypers[1]["lr"] /= 10
        optimizer.step()
        optimizer.zero_grad()
    assert [step.lrs for step in watched.steps] == [pytest.approx((0.5, 0.05)), pytest.approx((0.5, 0.005))]
    assert [clear.set_to_none for clear in watched.steps[1].clears] == [False]


def test_what_is_no_longer_watched_is_left_alone() -> None:
    model = nn.Linear(3, 1)
    variables = [Variable(param) for param in model.parameters()]
    optimizer = BaseOptimizer(0.1)
    with watching() as watched:
        optimizer.build(variables)
    backward(model)
    with torch.no_grad():
        assert optimizer.apply([variable.value.grad for variable in variables]) == "applied"
    assert watched.num_steps == 0
