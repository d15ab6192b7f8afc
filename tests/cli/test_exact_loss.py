"""What is told of a loss is told of all its rows, wherever it is shown, and of each optimizer by itself."""

import math
from pathlib import Path
from typing import Any

import pytest

from surefoot.cli.main import main
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.dashboard.data.spark import spark
from surefoot.dashboard.data.tracks import Memory
from surefoot.dashboard.report.gather import gather
from surefoot.runlog.read.compare import compare_series
from surefoot.runlog.read.run import load_run
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.write.run import Run

STEPS = 5000  # more than any chart has buckets
LOWEST_AT, SECOND_AT = 3217, 4001  # a single step each, which a sample would miss
LAST = 0.75


def loss_at(step: int) -> float:
    if step in (100, 4000):
        return (math.nan, -math.inf)[step == 4000]
    return 0.125 if step == LOWEST_AT else LAST if step == STEPS else 1.0 + 1 / step


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The loss is in several sets of names, as the sanitizer writes it."""
    folder = tmp_path_factory.mktemp("runs") / "20260101-train-000000"
    written = Run(folder, "train.py", pytest.fail)
    for step in range(1, STEPS + 1):
        rates = {"lr": 0.1, "lr/1": 0.2} if step % 64 == 0 else {"lr": 0.1}
        written.scalars(step, {"loss": loss_at(step), **rates})
        if step % 2:
            written.scalars(step, {"optimizer-2/loss": 0.25 if step == SECOND_AT else 3.0})
    written.close()
    return folder


def test_by_the_commands(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(run.parent)]) == 0
    assert f" {LAST} " in capsys.readouterr().out
    assert main(["show", run.name, "--log", str(run.parent)]) == 0
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert rows["loss"] == ["loss", "5000", "5000", "0.75", "0.125", "3217", "2", "1", "2"]
    assert rows["optimizer-2/loss"][1:6] == ["2500", "4999", "3", "0.25", "4001"]


def test_by_sql(run: Path) -> None:
    asked = (
        "SELECT name, count(*), min(value) FILTER (isfinite(value)), arg_max(value, step) FROM scalars GROUP BY name"
    )
    found = {name: rest for name, *rest in load_run(run).sql(asked)}
    assert found["loss"] == [5000, 0.125, LAST]
    assert found["optimizer-2/loss"] == [2500, 0.25, 3.0]
    (line,) = summarize([load_run(run)])
    assert line.last_loss == LAST


def test_by_the_dashboard_and_the_report(run: Path) -> None:
    loaded = load_run(run)
    assert spark(loaded, Memory())["best_loss"] == 0.125
    series = {one["name"]: one for one in SeriesIndexes().take(loaded.first)}
    assert (series["loss"]["low"], series["loss"]["last_value"], series["loss"]["count"]) == (0.125, LAST, STEPS)
    assert (series["optimizer-2/loss"]["low"], series["optimizer-2/loss"]["last_value"]) == (0.25, 3.0)
    told: Any = gather(loaded)
    (loss,) = [one for one in told["ranks"]["0"]["series"] if one["name"] == "loss"]
    assert min(value for value in loss["lows"].values if math.isfinite(value)) == 0.125
    assert (loss["count"], loss["num_nonfinite"]) == (STEPS, 2)


def test_by_a_comparison(run: Path) -> None:
    curves = {one.name: one for one in compare_series(load_run(run), load_run(run))}
    assert (curves["loss"].last, curves["loss"].lowest) == ((LAST, LAST), (0.125, 0.125))
