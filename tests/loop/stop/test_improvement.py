"""Patience."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.loop import stop
from tests.loop.stop.seen import seen, stopped_at


def test_it_counts_observations_since_the_best() -> None:
    condition = stop.patience("val/loss", 2)
    for update, value in ((10, 0.5), (20, 0.4), (30, 0.4)):
        assert condition.see(seen(update, val__loss=value)) is None
    assert condition.see(seen(35, loss=0.1)) is None
    told = "val/loss did not improve on 0.4 of update 20 in 2 observations, until update 40"
    assert condition.see(seen(40, val__loss=0.45)) == told


def test_an_improvement_must_be_larger_than_min_delta() -> None:
    assert stopped_at(stop.patience("loss", 2, min_delta=0.1), [1.0, 0.95, 0.92, 0.5]) == 3
    assert stopped_at(stop.patience("loss", 2), [1.0, 0.95, 0.92, 0.5]) is None


def test_larger_may_be_better() -> None:
    condition = stop.patience("acc", 1, mode="max")
    assert stopped_at(condition, [0.1, 0.2, 0.15], "acc") == 3
    assert condition.reason() == "acc did not improve on 0.2 of update 2 in 1 observation, until update 3"


def test_nan_is_never_better_and_always_beaten() -> None:
    assert stopped_at(stop.patience("loss", 2), [math.nan, 1.0, math.nan, 0.5, 0.6]) is None
    assert stopped_at(stop.patience("loss", 2), [math.nan, math.nan, math.nan]) == 3


@given(st.lists(st.floats(-9, 9), min_size=1), st.integers(1, 5), st.sampled_from(["min", "max"]))
def test_it_stops_when_the_best_is_as_far_back(values: list[float], num: int, mode: str) -> None:
    better = min if mode == "min" else max
    expected = next((n for n in range(1, len(values) + 1)
                     if n - 1 - values.index(better(values[:n])) >= num), None)  # fmt: skip
    assert stopped_at(stop.patience("loss", num, mode=mode), values) == expected


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"num": 0}, ValueError, "num must be at least 1, got 0"),
        ({"num": True}, TypeError, "num must be a whole number, got True"),
        ({"num": 3, "min_delta": -0.1}, ValueError, "min_delta must be at least 0, got -0.1"),
        ({"num": 3, "mode": "best"}, ValueError, r"mode must be 'min' \(smaller is better\) or 'max'"),
    ],
)
def test_what_can_not_be_meant_is_refused(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        stop.patience("val/loss", **settings)
