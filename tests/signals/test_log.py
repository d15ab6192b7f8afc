"""Samples in the run log."""

from pathlib import Path

import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.write.run import Run
from surefoot.sanitizer import LazyLog, Sanitizer


def small() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))


def test_rows_have_the_step_and_the_time_of_their_own_step(tmp_path: Path) -> None:
    run = Run(tmp_path / "measured", "train.py", pytest.fail)
    sanitizer = Sanitizer(
        catalogue().values(), log=LazyLog(run), on_failure=lambda name, error: pytest.fail(f"{name}: {error!r}")
    )
    sanitizer.start()
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(30):
        optimizer.zero_grad()
        model(torch.randn(32, 8)).square().mean().backward()
        optimizer.step()
    run.close()  # before the watch ends
    sanitizer.finish()
    series = sf.open(tmp_path)["measured"].scalars("param_norm/2.weight")
    losses = sf.open(tmp_path)["measured"].scalars("loss")
    assert list(series.steps) == list(range(1, 31))
    assert sorted(series.times) == list(series.times) and len(set(series.times)) == 30
    starts = dict(zip(losses.steps, losses.times, strict=True))
    for step, time in zip(series.steps, series.times, strict=True):
        assert starts.get(step, 0.0) <= time <= starts.get(step + 1, time)


def test_rows_of_a_loop_have_its_count(tmp_path: Path) -> None:
    model = small()
    batches = [(torch.randn(32, 8), torch.zeros(32, 1)) for _ in range(12)]
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), log=tmp_path, clip_norm=1.0) as loop:
        for x, y in loop.batches(batches):
            with loop.step() as step:
                step.backward(nn.functional.mse_loss(model(x), y))
    (run,) = sf.open(tmp_path)
    assert list(run.scalars("param_norm/0.weight").steps) == list(range(1, 13))
    assert list(run.scalars("grad_norm").steps) == list(range(1, 13))  # written by the loop, once
