"""The gradient noise scale of problems of which it is known."""

import math

import pytest
import torch
from torch import nn

from surefoot.signals.noise import FEWEST, NoiseScale
from tests.signals.training import Measured, measuring

DIMS, BATCH = 10, 16


def accumulate(num_windows: int, num_micro_batches: int, *, noise: float = 1.0, scale: float = 1.0) -> None:
    """Linear regression that stays where it is, at a distance of one from the solution."""
    torch.manual_seed(0)
    model = nn.Linear(DIMS, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    for _ in range(num_windows):
        optimizer.zero_grad()
        for _ in range(num_micro_batches):
            x = torch.randn(BATCH, DIMS)
            loss = nn.functional.mse_loss(model(x), x[:, :1] + noise * torch.randn(BATCH, 1))
            (scale * loss).backward()
        optimizer.step()


def series(measured: Measured) -> list[float]:
    return [values["noise_scale"] for values in measured.scalars.values() if "noise_scale" in values]


@pytest.mark.parametrize(("num", "noise", "scale"), [(8, 1.0, 1 / 8), (4, 2.0, 1.0)])
def test_linear_regression(num: int, noise: float, scale: float) -> None:
    """The gradient of a sample is 2 x (x d - e): G = 2 d, and tr(Sigma) = 4 ((n + 1) |d|^2 + n s^2)."""
    with measuring() as measured:
        accumulate(300, num, noise=noise, scale=scale)
    found = [value for value in series(measured) if math.isfinite(value)]
    assert len(found) > 280
    assert sum(found[50:]) / len(found[50:]) == pytest.approx(DIMS + 1 + DIMS * noise**2, rel=0.15)


def test_one_micro_batch_has_none() -> None:
    with measuring() as measured:
        accumulate(12, 1)
    assert measured.facts and not series(measured)


def test_losses_backwarded_one_by_one_are_no_micro_batches() -> None:
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        for _ in range(12):
            optimizer.zero_grad()
            outputs = model(torch.randn(8, 4))
            for i in range(2):
                outputs[:, i].square().mean().backward(retain_graph=i == 0)
            optimizer.step()
        for _ in range(12):
            optimizer.zero_grad()
            model(torch.randn(8, 4)).square().mean().backward()
            model(torch.randn(8, 4)).abs().mean().backward()
            optimizer.step()
    assert not series(measured)


def test_estimates() -> None:
    scale = NoiseScale()
    scale.expect([("line", False)] * 2)
    for _ in range(FEWEST):
        assert math.isnan(scale.value)
        scale.add([2.0, 2.0, 6.0], 4)  # alike by half: |G|^2 = 1, and the noise of four samples is 1
    assert scale.value == pytest.approx(4.0)
    assert scale.take_newest() == {"noise_signal": 1.0, "noise_trace": 4.0, "update_items": 8.0}
    assert scale.take_newest() == {}
    scale.add([9.0, 9.0], 4)  # a window that is not whole
    scale.add([math.inf, 1.0, 1.0], 4)
    assert scale.value == pytest.approx(4.0)
