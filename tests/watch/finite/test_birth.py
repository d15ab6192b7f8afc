"""The origin of a NaN or Inf: the operation, and the module that ran it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from surefoot.facts import BirthFacts
from tests.watch.watching import watching

NAN, INF = float("nan"), float("inf")
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


class Poison(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        return grad * NAN


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).T / 2
        mask = torch.zeros(len(x), len(x), dtype=torch.bool)
        mask[3] = True  # a row that may look at nothing
        weights = scores.masked_fill(mask, -INF).softmax(1)
        y: Tensor = weights @ self.value(x)
        return y


def mse(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(model(x), y)


def births(model: nn.Module, loss_of: Loss, x: Tensor | None = None, y: Tensor | None = None) -> list[BirthFacts]:
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


def birth(model: nn.Module, loss_of: Loss, *data: Tensor | None) -> tuple[str, str, str]:
    (found,) = births(model, loss_of, *data)
    return found.where, found.operation, found.module


@pytest.fixture(autouse=True)
def same_numbers(only_own_models: None) -> None:
    torch.manual_seed(0)


def zeroed(model: nn.Module, name: str) -> nn.Module:
    with torch.no_grad():
        for param in model.get_submodule(name).parameters():
            param.zero_()
    return model


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (torch.log, "log"),
        (torch.sqrt, "sqrt"),
        (lambda h: h / (h - h), "div"),
        (lambda h: 1 / h.relu(), "reciprocal"),
        (lambda h: h.relu().pow(-0.5), "pow"),
        (lambda h: (1000 * h.abs() + 1000).exp(), "exp"),
        (lambda h: torch.rsqrt(h), "rsqrt"),
        (lambda h: torch.acos(h + 2), "acos"),
        (lambda h: torch.atanh(h + 2), "atanh"),
        (lambda h: torch.log1p(h - 3), "log1p"),
        (lambda h: torch.special.logit(h + 2), "logit"),
        (lambda h: torch.sinh(100 * h.abs() + 100), "sinh"),
    ],
)
def test_a_forward_operation(function: Callable[[Tensor], Tensor], operation: str) -> None:
    assert birth(Apply(function), mse) == ("forward", operation, "Apply")


def test_a_named_layer_without_parameters() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Linear(4, 2))
    (found,) = births(model, mse)
    assert (found.where, found.operation, found.module) == ("forward", "log", "2")
    assert (found.after, found.before) == ("0", "3")
    assert found.detail.startswith("its input lies between 0 and ")


def test_attention_that_masks_a_whole_row() -> None:
    (found,) = births(Attention(), mse)
    assert (found.where, found.operation, found.module) == ("forward", "softmax", "Attention")
    assert found.detail == "a row of its input is -inf throughout: everything is masked"


def test_a_logarithm_in_a_loss_is_after_the_model() -> None:
    def log_loss(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        p = model(x).mul(5000).sigmoid()
        y = y.round()
        return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()

    (found,) = births(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)), log_loss)
    assert (found.where, found.operation, found.detail[:8]) == ("forward", "log", "its inpu")
    assert (found.module, found.after, found.before) == ("", "2", "")


def test_a_mean_of_nothing_in_the_loss() -> None:
    def loss_of(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        predicted = model(x)
        return predicted.pow(2).mean() + predicted[x[:, 0] > 9].mean()

    (found,) = births(nn.Sequential(nn.Linear(4, 2)), loss_of)
    assert (found.where, found.operation, found.after) == ("forward", "mean", "0")
    assert found.detail == "it was given no value at all"


def test_a_logarithm_in_the_loss() -> None:
    found = births(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), lambda model, x, y: -model(x).log().mean())
    assert (found[0].operation, found[0].after, found[0].before) == ("log", "0", "")


def test_overflow_in_half_precision() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    with torch.no_grad():
        model[0].weight.fill_(300.0)
        model[2].weight.fill_(300.0)
    model.half()
    (found,) = births(model, lambda model, x, y: model(x).float().mean(), torch.ones(8, 4).half())
    assert (found.where, found.operation, found.module) == ("forward", "linear", "2")
    assert found.detail == "its result is beyond the range of float16"


@pytest.mark.parametrize("bad", [NAN, INF])
def test_bad_inputs(bad: float) -> None:
    x = torch.rand(8, 4)
    x[2, 1] = bad
    where, operation, module = birth(Apply(torch.relu), mse, x)
    assert (where, operation, module) == ("input", "linear", "first")


def test_bad_inputs_that_are_added_first() -> None:
    class Positions(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.positions, self.head = nn.Parameter(torch.zeros(8, 4)), nn.Linear(4, 2)

        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = self.head((x + self.positions) * 2)
            return y

    (found,) = births(Positions(), mse, torch.full((8, 4), NAN))
    assert (found.where, found.operation) == ("input", "add")


def test_bad_targets() -> None:
    where, operation, _ = birth(nn.Linear(4, 2), mse, None, torch.full((8, 2), NAN))
    assert (where, operation) == ("input", "mse_loss")


def test_bad_weights() -> None:
    model = Apply(torch.tanh)
    with torch.no_grad():
        model.last.weight[0, 0] = NAN
    assert birth(model, mse) == ("weight", "", "last.weight")


def test_an_infinity_that_becomes_nan_later_is_named_where_it_came_up() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Softmax(1), nn.Linear(4, 2))
    with torch.no_grad():
        model[0].weight.fill_(-1.0)
    assert birth(model, mse) == ("forward", "log", "2")


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (lambda h: (h - h).sqrt(), "sqrt"),
        (lambda h: torch.where(h > 9, h / (h - h), h.detach()), "div"),
        (lambda h: torch.acos(h - h + 1), "acos"),
        (lambda h: torch.asin(h - h + 1), "asin"),
        (lambda h: (h - h).abs().pow(0.5), "pow"),
        (lambda h: Poison.apply(h), "poison"),
    ],
)
def test_a_slope(function: Callable[[Tensor], Tensor], operation: str) -> None:
    """The loss is finite; the gradients of the first layer are not, those of the last one are."""
    model = Apply(function)
    (found,) = births(model, mse)
    assert (found.where, found.operation, found.module) == ("backward", operation, "Apply")
    assert (found.after, found.before) == ("first", "last")


def test_a_slope_of_the_loss() -> None:
    model = zeroed(nn.Sequential(nn.Linear(4, 2)), "0")
    (found,) = births(model, lambda model, x, y: model(x).pow(2).mean().sqrt())
    assert (found.where, found.operation) == ("backward", "sqrt")


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


def test_checkpointed_blocks_are_not_run_again() -> None:
    from torch.utils.checkpoint import checkpoint

    runs = []

    def block(h: Tensor) -> Tensor:
        runs.append(1)
        return h.log()

    model = Apply(lambda h: checkpoint(block, h, use_reentrant=False))
    births(model, mse)
    assert len(runs) == 2  # forward, and once again in backward


def test_two_suspects_are_no_proof() -> None:
    assert not births(Apply(lambda h: torch.fmod(torch.fmod(h, 0.0), 0.0)), mse)
