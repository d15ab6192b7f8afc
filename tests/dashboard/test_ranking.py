"""Ranks of settings say what the data say, and no more."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from surefoot.dashboard.data.rank_interval import incomplete_beta, rank_intervals, two_sided
from surefoot.dashboard.data.ranking import ranking, varying
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.runlog.setting import as_meta
from tests.runlog.making import FINISHED, RUNNING, LogFile


def test_students_t_is_that_of_scipy() -> None:
    score, freedom = np.meshgrid([0.0, 1e-9, 0.3, 1.0, 2.5, 12.7, 900.0, -4.0], [1.0, 1.3, 2.0, 7.5, 60.0, 5000.0])
    found = two_sided(score.ravel(), freedom.ravel())
    assert np.allclose(found, 2 * stats.t.sf(abs(score.ravel()), freedom.ravel()), rtol=1e-9, atol=1e-15)
    x = np.linspace(0, 1, 21)
    assert np.allclose(incomplete_beta(np.full(21, 3.0), 0.5, x), stats.beta.cdf(x, 3.0, 0.5), atol=1e-12)


@pytest.mark.parametrize("draw", ["normal", "uniform", "exponential"])
@pytest.mark.parametrize("num", [2, 3, 8])
def test_ranks_are_right_as_often_as_they_say(draw: str, num: int) -> None:
    """All of them together, also where spreads differ and means are close."""
    random = np.random.default_rng(num)
    means, scales = np.array([0.0, 0.1, 0.5, 1.0, 3.0, 30.0]), np.array([1.0, 0.2, 0.5, 2.0, 0.1, 1.0])
    num_right = 0
    for _ in range(400):
        noise = {"normal": random.normal(size=(6, num)), "uniform": random.uniform(-1, 1, (6, num)),
                 "exponential": random.exponential(size=(6, num)) - 1}[draw]  # fmt: skip
        ranks = rank_intervals((means[:, None] + scales[:, None] * noise).tolist())
        num_right += all(low <= rank <= high for rank, (low, high) in enumerate(ranks, 1))
    assert num_right >= 0.95 * 400


def test_clear_differences_are_told() -> None:
    random = np.random.default_rng(0)
    groups = [(mean + 0.01 * random.normal(size=5)).tolist() for mean in (3.0, 1.0, 2.0)]
    assert rank_intervals(groups) == [(3, 3), (1, 1), (2, 2)]


@pytest.mark.parametrize(
    "groups",
    [
        [[1.0], [2.0], [3.0]],  # one run each
        [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]],  # the same seed again and again
        [[1.0, 1.1], None],  # one diverged
        [[0.9, 1.1], [1.0, 1.2]],
        [[1.0, 2.0]], [],
    ],
)  # fmt: skip
def test_nothing_is_sure_of_what_is_not_known(groups: Any) -> None:
    assert rank_intervals(groups) == [(1, len(groups))] * len(groups)


def log(folder: Path, settings: dict[str, Any], value: float, meta: dict[str, str] = FINISHED) -> None:
    number = sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0
    told = dict(as_meta(name, one, "config") for name, one in settings.items())
    with LogFile(folder / f"run-{number:03}" / "rank-0.db", {**meta, **told}) as file:
        file.log([1, 2], acc=[value - 1, value])


def test_runs_that_are_set_alike_are_ranked_together(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for seed in range(5):
        for rate, mean in ((0.1, 0.9), (0.01, 0.5), (1.0, math.nan if seed == 4 else 0.95)):
            settings = {"lr": rate, "lr_again": rate, "seed": seed, "out": f"out-{rate}-{seed}", "same": 1}
            log(tmp_path, {**settings, "seen/lr": rate}, mean + 0.001 * random.normal())
    log(tmp_path, {"lr": 5.0}, 0.99, RUNNING)
    log(tmp_path, {"other": 5.0}, 0.3, {**FINISHED, "group": "single"})
    cache = RunCache(tmp_path)
    found = ranking(cache, "high:acc", [], [], is_low_good=False)
    assert found["by"] == ["lr", "other"]
    assert (found["num_running"], found["num_without"], len(found["points"])) == (1, 0, 16)
    told = [(group["key"][0], group["num"], group["num_odd"], group["low_rank"], group["high_rank"])
            for group in found["groups"]]  # fmt: skip
    assert told == [(0.1, 5, 0, 1, 3), (0.01, 5, 0, 2, 4), (None, 1, 0, 1, 4), (1.0, 5, 1, 1, 4)]
    last = ranking(cache, "last:acc", ["lr"], ["seed=4"], is_low_good=False)
    assert [(group["key"], group["num_odd"]) for group in last["groups"]] == [([0.1], 0), ([0.01], 0), ([1.0], 1)]
    grouped = ranking(cache, "last:acc", ["run_group"], ["run_group=single"], is_low_good=True)
    assert [(group["key"], group["num"]) for group in grouped["groups"]] == [(["single"], 1)]
    assert ranking(cache, "low:none", [], [], is_low_good=True)["num_without"] == 16


def test_only_what_tells_runs_apart_varies() -> None:
    settings = [{"lr": 0.1 * (i % 2), "also": i % 2, "out": f"r{i}", "x": i / 10, "random_seed": i} for i in range(10)]
    assert varying({one["out"]: one for one in settings}) == ["also", "x"]
