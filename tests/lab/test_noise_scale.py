"""The gradient noise scale of problems of which it is known."""

import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss

import surefoot as sf
from surefoot.lab.noise.estimate import estimate
from tests.lab.problems import quiet_loop, state_of

DIMS = 10


def regression(noise: float, num: int, seed: int = 0) -> tuple[nn.Linear, sf.TensorBatches]:
    """At a distance of one from the solution. A sample's gradient is 2 x (x d - e)."""
    generator = torch.manual_seed(seed)  # also decides how batches are shuffled
    model = nn.Linear(DIMS, 1, bias=False)
    nn.init.zeros_(model.weight)
    x = torch.randn(num, DIMS, generator=generator)
    y = x[:, :1] + noise * torch.randn(num, 1, generator=generator)
    return model, sf.TensorBatches(x, y, batch_size=16, shuffle=True)


@pytest.mark.parametrize("noise", [0.5, 1.0, 3.0])
def test_linear_regression(noise: float) -> None:
    """G = 2 d and tr(Sigma) = 4 ((n + 1) |d|^2 + n s^2), so it is n + 1 + n s^2."""
    model, loader = regression(noise, 16 * 512)
    known = DIMS + 1 + DIMS * noise**2
    found = sf.noise_scale(model, loader, mse_loss, num_batches=512)
    assert found.value == pytest.approx(known, rel=0.15)
    assert found.low < known < found.high
    assert found.low > known / 2 and found.high < known * 2
    assert found.accumulate(8) == round((found.value or 0) / 8)
    assert found.share(round(known)) == pytest.approx(0.5, abs=0.05)


def test_the_interval_is_honest() -> None:
    """Two standard errors: nearly all of twenty measurements have the truth inside."""
    known, inside = DIMS + 1 + DIMS, 0
    for seed in range(20):
        model, loader = regression(1.0, 16 * 64, seed)
        found = sf.noise_scale(model, loader, mse_loss)
        inside += found.low <= known <= found.high
    assert inside >= 16


def test_at_the_solution_there_is_no_gradient() -> None:
    model, loader = regression(1.0, 16 * 32)
    with torch.no_grad():
        model.weight[0, 0] = 1.0
    found = sf.noise_scale(model, loader, mse_loss, num_batches=32)
    assert found.value is None and found.low > 50
    assert "above" in str(found) and "larger batches" in str(found)
    with pytest.raises(ValueError, match="not known"):
        found.share(16)


def test_a_loop_and_its_words() -> None:
    model, loader = regression(1.0, 16 * 40 + 5)
    loop = quiet_loop(model, torch.optim.SGD(model.parameters(), lr=0.1))
    found = sf.noise_scale(loop, loader, mse_loss, num_batches=100)
    assert found.num_left_out == 2  # the short last batch of two whole passes
    assert "samples, between" in str(found) and "measure again" in str(found)
    assert found.num_batches == 100 and found.batch_size == 16


def test_nothing_is_left_behind() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(DIMS, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
    _, loader = regression(1.0, 64)
    model(torch.randn(8, DIMS)).sum().backward()
    everything: list[Any] = [model.state_dict(), [p.grad for p in model.parameters()]]
    before = state_of(*everything, torch.get_rng_state())
    sf.noise_scale(model, loader, mse_loss, num_batches=8)
    assert state_of(model.state_dict(), [p.grad for p in model.parameters()], torch.get_rng_state()) == before


def test_estimates_of_plain_numbers() -> None:
    same = estimate([[4.0] * 4] * 4, [4.0] * 4, [1] * 4, 8)  # all gradients alike: no noise
    assert same.value == 0.0
    alternating = [[1.0 if i == j else -1 / 3 for j in range(4)] for i in range(4)]
    nothing = estimate(alternating, [1.0] * 4, [1] * 4, 8)
    assert nothing.value is None and nothing.high == math.inf


def test_settings_that_can_not_be() -> None:
    model, loader = regression(1.0, 64)
    with pytest.raises(ValueError, match="at least 8"):
        sf.noise_scale(model, loader, mse_loss, num_batches=2)
    with pytest.raises(TypeError, match=r"an sf\.Loop or a model"):
        sf.noise_scale(3, loader, mse_loss)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no parameter"):
        sf.noise_scale(nn.ReLU(), loader, mse_loss)
    with pytest.raises(ValueError, match="micro_batch must be"):
        sf.noise_scale(model, loader, mse_loss, num_batches=8).accumulate(0)
