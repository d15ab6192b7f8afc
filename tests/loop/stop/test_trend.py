"""Plateaus in noisy series; the numbers in the docstring of `plateau` were measured with the same series."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.loop import stop
from surefoot.loop.stop.trend import is_falling
from tests.loop.stop.seen import noise, seen, stopped_at

KINDS = ["normal", "heavy", "hanging"]


@pytest.mark.parametrize("kind", KINDS)
def test_noise_without_a_trend_is_stopped(kind: str) -> None:
    stops = [stopped_at(stop.plateau("loss", 30), noise(seed, 300, kind)) for seed in range(20)]
    assert None not in stops
    assert min(n for n in stops if n) >= 49  # a window, and two thirds of one


@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_fall_through_noise_goes_on(kind: str) -> None:
    fall = 4 * np.arange(300) / 30  # per window, in standard deviations of normal noise
    stops = [stopped_at(stop.plateau("loss", 30), noise(seed, 300, kind) - fall) for seed in range(20)]
    assert stops.count(None) >= 19


def test_a_longer_window_sees_a_slower_fall() -> None:
    fall = np.arange(4000) / 100
    short = [stopped_at(stop.plateau("loss", 30), noise(seed, 4000) - fall) for seed in range(5)]
    long = [stopped_at(stop.plateau("loss", 400), noise(seed, 4000) - fall) for seed in range(5)]
    assert None not in short
    assert long == [None] * 5


def test_a_fall_that_ends_is_seen_to_end() -> None:
    values = np.maximum(10.0 - np.arange(600) / 30, 0.0) + noise(0, 600)
    at = stopped_at(stop.plateau("loss", 60), values)
    assert at is not None
    assert 300 < at < 600


def test_the_reason_tells_what_was_tested() -> None:
    condition = stop.plateau("val/loss", 61)
    assert stopped_at(condition, [0.25] * 200, "val/loss") == 99  # 20 means of 3 in a window, and 13 more
    assert condition.reason() == (
        "val/loss shows no improvement over its last 60 observations, with mean 0.25, "
        "to a trend test of confidence 0.95 at update 99"
    )


def test_for_a_score_a_rise_is_the_improvement() -> None:
    rise = np.arange(200.0)
    assert stopped_at(stop.plateau("acc", 10, mode="max"), rise, "acc") is None
    assert stopped_at(stop.plateau("acc", 10, mode="max"), -rise, "acc") == 16
    assert stopped_at(stop.plateau("loss", 10), rise) == 16


def test_non_finite_values_and_other_names_are_passed_over() -> None:
    condition = stop.plateau("loss", 10)
    for update in range(100):
        assert condition.see(seen(update, loss=math.nan)) is None
        assert condition.see(seen(update, other=1.0)) is None
    assert stopped_at(condition, [1.0] * 20) == 16


@given(st.lists(st.integers(-5, 5), min_size=10, max_size=30))
def test_falling_and_rising_exclude_each_other_and_order_is_all_that_counts(values: list[int]) -> None:
    falls = is_falling(values, 0.9)
    assert not (falls and is_falling([-v for v in values], 0.9))
    assert falls == is_falling([math.exp(v) for v in values], 0.9)


def test_the_false_alarms_of_one_test_are_as_stated() -> None:
    falls = [is_falling(noise(seed, 30).tolist(), 0.9) for seed in range(1000)]
    assert 70 <= sum(falls) <= 130


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window": 9}, "window must be at least 10, got 9"),
        ({"window": 10, "confidence": 1.0}, "confidence must be at least 0.5 and below 1, got 1.0"),
        ({"window": 10, "mode": "up"}, "mode must be 'min'"),
    ],
)
def test_what_can_not_be_meant_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stop.plateau("loss", **settings)
