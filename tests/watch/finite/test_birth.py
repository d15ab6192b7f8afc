"""The origin of a NaN or Inf: the operation, and the module that ran it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from surefoot.facts import BirthFacts
from tests.watch.watching import watching

Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]


class Log(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.log(x)


class Apply(nn.Module):
    """Two layers with a function between them."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 6), nn.Linear(6, 2)
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.last(self.function(self.first(x)))
        return y


def mse(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(model(x), y)


def origins(model: nn.Module, loss_of: Loss, x: Tensor | None = None, y: Tensor | None = None) -> list[BirthFacts]:
    """Of the first step."""
    x, y = torch.rand(8, 4) if x is None else x, torch.rand(8, 2) if y is None else y
    with watching() as watched:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = loss_of(model, x, y)
        loss.backward()
        optimizer.step()
    (step,) = watched.steps
    found = [backward.birth for backward in step.backwards]
    if step.non_finite is not None:
        found.append(step.non_finite.birth)
    return [birth for birth in found if birth is not None]


@pytest.fixture(autouse=True)
def same_numbers(only_own_models: None) -> None:
    torch.manual_seed(0)


def test_a_named_layer_without_parameters() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Linear(4, 2))
    (found,) = origins(model, mse)
    assert (found.where, found.operation, found.module) == ("forward", "log", "2")
    assert (found.after, found.before) == ("0", "3")
    assert found.detail.startswith("its input lies between 0 and ")


def test_a_logarithm_in_a_loss_is_after_the_model() -> None:
    def log_loss(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        p = model(x).mul(5000).sigmoid()
        y = y.round()
        return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()

    (found,) = origins(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)), log_loss)
    assert (found.where, found.operation, found.detail[:8]) == ("forward", "log", "its inpu")
    assert (found.module, found.after, found.before) == ("", "2", "")


def test_a_mean_of_nothing_in_the_loss() -> None:
    def loss_of(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        predicted = model(x)
        return predicted.pow(2).mean() + predicted[x[:, 0] > 9].mean()

    (found,) = origins(nn.Sequential(nn.Linear(4, 2)), loss_of)
    assert (found.where, found.operation, found.after) == ("forward", "mean", "0")
    assert found.detail == "it was given no value at all"


def test_a_logarithm_in_the_loss() -> None:
    found = origins(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), lambda model, x, y: -model(x).log().mean())
    assert (found[0].operation, found[0].after, found[0].before) == ("log", "0", "")


def test_overflow_in_half_precision() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    with torch.no_grad():
        model[0].weight.fill_(300.0)
        model[2].weight.fill_(300.0)
    model.half()
    (found,) = origins(model, lambda model, x, y: model(x).float().mean(), torch.ones(8, 4).half())
    assert (found.where, found.operation, found.module) == ("forward", "linear", "2")
    assert found.detail == "its result is beyond the range of float16"


def test_found_in_a_nap_too() -> None:
    torch.manual_seed(0)
    model = Apply(lambda h: h)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with watching() as watched:
        for i in range(100):
            model.function = (lambda h: (h - h).sqrt()) if i == 90 else (lambda h: h)
            loss = mse(model, torch.rand(8, 4), torch.rand(8, 2))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if i == 90:
                break
    found = watched.steps[-1].non_finite
    assert found is not None and found.birth is not None
    assert (found.birth.where, found.birth.operation) == ("backward", "sqrt")


def test_the_graph_of_another_backward_is_not_accused() -> None:
    model = Apply(torch.tanh)
    with watching() as watched:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        hidden = model.first(torch.rand(8, 4))
        (hidden - hidden).sqrt().sum().backward()  # gradients of NaN
        model(torch.rand(8, 4)).exp().mean().backward()
        optimizer.step()
    (step,) = watched.steps
    assert step.non_finite is not None and step.non_finite.birth is None


def test_checkpointed_blocks_are_not_run_again() -> None:
    from torch.utils.checkpoint import checkpoint

    runs = []

    def block(h: Tensor) -> Tensor:
        runs.append(1)
        return h.log()

    model = Apply(lambda h: checkpoint(block, h, use_reentrant=False))
    origins(model, mse)
    assert len(runs) == 2  # forward, and once again in backward
