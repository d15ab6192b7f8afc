"""The mean of several runs is taken where all of them have a value."""

import math
from typing import Any

import numpy as np

from surefoot.dashboard.data.spread import spread
from surefoot.dashboard.data.track import Cells, cells_of
from surefoot.runlog.read.column import Column


def cells(steps: Any, values: Any) -> Cells:
    found = np.asarray(list(steps), np.int64)
    return cells_of(Column(found, found * 2.0 + 1e9, np.asarray(values, np.float64)))


def test_runs_with_the_same_steps_are_averaged_exactly() -> None:
    told = spread([cells([1, 2, 3], [1.0, 2.0, 3.0]), cells([1, 2, 3, 4], [3.0, 2.0, 6.0, 9.0])], 100)
    assert told["steps"].values.tolist() == [1, 2, 3]
    assert told["lasts"].values.tolist() == [2.0, 2.0, 4.5]
    assert np.allclose(told["highs"].values - told["lasts"].values, [math.sqrt(2), 0, 1.5 * math.sqrt(2)])
    assert told["times"].values.tolist() == [0.0, 2.0, 4.0]
    assert (told["num_runs"], told["is_exact"]) == (2, False)


def test_other_steps_are_put_into_ranges() -> None:
    told = spread([cells(range(0, 1000, 2), np.arange(500)), cells(range(1, 1000, 2), np.arange(500))], 50)
    assert len(told["steps"].values) == 50 or len(told["steps"].values) == 49
    assert np.allclose(told["lasts"].values, told["steps"].values / 2, atol=1)


def test_what_is_not_finite_has_no_mean() -> None:
    told = spread([cells([1, 2, 3], [1.0, math.nan, 3.0]), cells([1, 2, 3], [3.0, 2.0, math.inf])], 100)
    assert told["steps"].values.tolist() == [1]
    assert told["lasts"].values.tolist() == [2.0]


def test_one_run_has_no_spread() -> None:
    told = spread([cells([1, 2], [1.0, 2.0])], 100)
    assert told["lows"].values.tolist() == told["highs"].values.tolist() == [1.0, 2.0]
    apart = spread([cells([1, 2], [1.0, 2.0]), cells([10, 11], [1.0, 2.0])], 100)
    assert len(apart["steps"].values) == 0
