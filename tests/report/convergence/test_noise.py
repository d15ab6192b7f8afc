"""What is said about the batch size: numbers that follow from the noise scale, and nothing where it is not known."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.report.convergence import Curve, Noise, loss_summary, stored_loss_summary, stored_noise
from surefoot.report.convergence.noise import Array, describe_noise, measure
from surefoot.runlog.read.run import load_run

STEPS = np.arange(1, 301)
FLAT = Curve.of("loss", STEPS, 0.5 + 2 * np.exp(-STEPS / 10) + 0.01 * np.random.default_rng(0).normal(size=300))
NUM, SIZE, KNOWN = 4, 16, 21.0  # micro-batches of a window, their samples, tr(Sigma) of a sample; |G| is 1


def windows(
    draw: np.random.Generator, num_windows: int, *, length: float = 1.0, dims: int = 200
) -> tuple[Array, Array]:
    """Estimates of |G|^2 and tr(Sigma), as signals make them of the gradients of micro-batches."""
    grads = draw.normal(size=(num_windows, NUM, dims)) * math.sqrt(KNOWN / SIZE / dims)
    grads[:, :, 0] += length
    small, large = (grads**2).sum(2).mean(1), (grads.mean(1) ** 2).sum(1)
    return (NUM * large - small) / (NUM - 1), SIZE * (small - large) * NUM / (NUM - 1)


@pytest.mark.parametrize("num_windows", [32, 300])
def test_its_range_holds_the_known_value(num_windows: int) -> None:
    draw = np.random.default_rng(0)
    found = [measure(*windows(draw, num_windows), 64) for _ in range(100)]
    right = [noise is not None and noise.low < KNOWN < noise.high for noise in found]
    assert sum(right) >= 88  # two standard errors, from eight groups


def test_a_gradient_that_is_all_noise_is_none() -> None:
    draw = np.random.default_rng(1)
    told = [measure(*windows(draw, 100, length=0.0), 64) for _ in range(50)]
    assert sum(noise is not None for noise in told) <= 2


def test_too_few_windows() -> None:
    draw = np.random.default_rng(2)
    assert measure(*windows(draw, 31), 64) is None
    signal, trace = windows(draw, 40)
    signal[:10] = np.nan  # leaves thirty
    assert measure(signal, trace, 64) is None


def test_a_batch_far_below() -> None:
    assert describe_noise(Noise(900, 0.2, 64)) == (
        "batch of 64; gradient noise scale about 900 (600 … 1,300): larger batches would still pay, "
        "twice the batch saves 47 % of the updates"
    )


def test_a_batch_far_beyond() -> None:
    assert describe_noise(Noise(8.2, 0.1, 2048)) == (
        "batch of 2,048; gradient noise scale about 8.2 (6.7 … 10): beyond it larger batches hardly pay, "
        "twice the batch saves less than 1 % of the updates"
    )


def test_a_batch_that_is_about_as_large() -> None:
    told = describe_noise(Noise(100, 0.2, 100))
    assert told.endswith(": the batch is about as large, twice the batch saves 25 % of the updates")


def test_it_stands_before_the_next_move() -> None:
    lr = Curve.of("lr", STEPS, np.full(300, 0.1))
    lines = loss_summary(FLAT, lr=lr, noise=Noise(900, 0.2, 64))
    assert lines[-2].startswith("batch of 64; ") and lines[-1].startswith("next: ")
    assert len(lines) == len(loss_summary(FLAT, lr=lr)) + 1


def test_linear_regression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Its noise scale is 21 at a distance of one from the solution, with noise of one in ten dimensions."""
    monkeypatch.delenv("SUREFOOT_LOG")
    torch.manual_seed(0)
    model = nn.Linear(10, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)  # it stays where it is
    batches = [(x, x[:, :1] + torch.randn(8, 1)) for x in torch.randn(800, 8, 10)]
    with sf.Loop(model, optimizer, accumulate=4, log=tmp_path, overhead=1.0) as loop:
        loop.fit(batches, nn.functional.mse_loss, epochs=1)
        run = loop._log.run
        assert run is not None
    process = load_run(run.folder).first
    noise = stored_noise(process, 200)
    assert noise is not None and noise.batch == 32
    assert noise.low < 21 < noise.high
    assert stored_noise(process, 400) is None  # a run that went on without being measured
    (line,) = [
        line for line in stored_loss_summary(process) if line.startswith("batch of 32; gradient noise scale about ")
    ]
    assert line in capsys.readouterr().err  # told by the loop as well


def test_a_run_without_windows_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUREFOOT_LOG")
    model = nn.Linear(4, 1)
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), log=tmp_path, progress=False) as loop:
        loop.fit([(x, x.sum(1, keepdim=True)) for x in torch.randn(20, 8, 4)], nn.functional.mse_loss, epochs=1)
        run = loop._log.run
    assert run is not None
    assert stored_noise(load_run(run.folder).first, 20) is None
