"""From a measured run to its log and back: series, histograms, records, and the same findings by replay."""

from pathlib import Path

import pytest
import torch
from torch import nn

import surefoot as sf
from surefoot.facts import SignalFacts
from surefoot.judge import Judge
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.write.run import Run
from surefoot.sanitizer import LazyLog, Sanitizer
from surefoot.watch.settings import Settings
from tests.watch.own_models import own_models


def train(num_steps: int) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    nn.init.constant_(model[0].bias, -50.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(num_steps):
        optimizer.zero_grad()
        model(torch.randn(32, 8)).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    run = Run(folder / "measured", "train.py", pytest.fail)
    sanitizer = Sanitizer(
        catalogue().values(), settings=Settings(1.0), log=LazyLog(run), on_failure=lambda name, error: pytest.fail(name)
    )
    with own_models():
        sanitizer.start()
        train(16)
        sanitizer.finish()
    run.close()
    return folder


def test_series_have_a_row_for_each_sampled_step(folder: Path) -> None:
    run = sf.open(folder)["measured"]
    for name in ("grad_norm/2.weight", "param_norm/0.weight", "update_ratio/2.bias", "clip_factor", "update_norm"):
        steps = run.scalars(name).steps
        assert list(steps) == list(range(1, 17)), name


def test_histograms_are_written(folder: Path) -> None:
    rows = sf.open(folder).sql("SELECT name, sum(count) FROM hists WHERE step = 1 GROUP BY name").rows()
    assert dict(rows)["weights/0.weight"] == 128


def test_a_stored_run_is_judged_the_same(folder: Path) -> None:
    (process,) = sf.open(folder)["measured"].processes
    again = Judge(catalogue().values(), lambda name, error: pytest.fail(name))
    records = list(process.records())
    for record in records:
        again.judge(record)
    assert sum(isinstance(record, SignalFacts) for record in records) == 16
    assert [f.rule for f in again.findings if f.severity == "warning"] == ["dead-units"]


def test_the_share_is_checked() -> None:
    with pytest.raises(ValueError, match="overhead must be a share between 0 and 1, got 2"):
        sf.watch(overhead=2)


def test_a_watch_measures_as_often_as_it_may() -> None:
    with sf.watch(overhead=1.0, on_finding=lambda finding: None) as watch:
        train(16)
    assert "dead-units" in {finding.rule for finding in watch.findings}
