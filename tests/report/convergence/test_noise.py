"""What is said about the batch size: numbers that follow from the noise scale, and nothing where it is not known."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.report.convergence import Curve, Noise, outlook, stored_noise, stored_outlook
from surefoot.report.convergence.noise import tell_noise
from surefoot.runlog.read.run import load_run

STEPS = np.arange(1, 301)
FLAT = Curve.of("loss", STEPS, 0.5 + 2 * np.exp(-STEPS / 10) + 0.01 * np.random.default_rng(0).normal(size=300))


def test_a_batch_far_below() -> None:
    assert tell_noise(Noise(900, 0.2, 64, 300), 300) == (
        "batch of 64; gradient noise scale about 900 (600 … 1,300): larger batches would still pay, "
        "twice the batch saves 47 % of the updates"
    )


def test_a_batch_far_beyond() -> None:
    assert tell_noise(Noise(8.2, 0.1, 2048, 300), 300) == (
        "batch of 2,048; gradient noise scale about 8.2 (6.7 … 10): beyond it larger batches hardly pay, "
        "twice the batch saves less than 1 % of the updates"
    )


def test_a_batch_that_is_about_as_large() -> None:
    told = tell_noise(Noise(100, 0.2, 100, 300), 300)
    assert told is not None
    assert "the batch is about as large, twice the batch saves 25 % of the updates" in told


@pytest.mark.parametrize(
    "noise",
    [
        Noise(900, 0.5, 64, 300),  # not known well
        Noise(900, math.nan, 64, 300),
        Noise(math.nan, 0.1, 64, 300),
        Noise(0.0, 0.1, 64, 300),
        Noise(900, 0.1, 64, 100),  # not to the end
    ],
)
def test_nothing_is_said_where_it_is_not_known(noise: Noise) -> None:
    assert tell_noise(noise, 300) is None
    assert len(outlook(FLAT, noise=noise)) == len(outlook(FLAT))


def test_it_stands_before_the_next_move() -> None:
    lines = outlook(FLAT, noise=Noise(900, 0.2, 64, 300))
    assert lines[-2].startswith("batch of 64; ") and lines[-1].startswith("next: ")


def test_linear_regression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Its noise scale is 21 at a distance of one from the solution, with noise of one in ten dimensions."""
    monkeypatch.delenv("SUREFOOT_LOG")
    torch.manual_seed(0)
    model = nn.Linear(10, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)  # it stays where it is
    inputs = torch.randn(800, 8, 10)
    batches = [(x, x[:, :1] + torch.randn(8, 1)) for x in inputs]
    with sf.Loop(model, optimizer, accumulate=4, log=tmp_path, overhead=1.0) as loop:
        loop.fit(batches, nn.functional.mse_loss, epochs=1)
        run = loop._log.run
        assert run is not None
    process = load_run(run.folder).first
    noise = stored_noise(process)
    assert noise is not None and noise.batch == 32
    assert noise.low < 21 < noise.high
    (line,) = [line for line in stored_outlook(process) if line.startswith("batch of 32; gradient noise scale about ")]
    assert line in capsys.readouterr().err  # told by the loop as well


def test_a_run_without_windows_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUREFOOT_LOG")
    model = nn.Linear(4, 1)
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), log=tmp_path, progress=False) as loop:
        loop.fit([(x, x.sum(1, keepdim=True)) for x in torch.randn(20, 8, 4)], nn.functional.mse_loss, epochs=1)
        run = loop._log.run
    assert run is not None
    assert stored_noise(load_run(run.folder).first) is None
