"""Runs that diverge, and healthy ones that look a little like it."""

import math
from typing import Any

import numpy as np
import pytest

from surefoot.loop import stop
from tests.loop.stop.seen import noise, seen, stopped_at

T = np.arange(2000)
FALL = 0.3 + 2 * np.exp(-T / 200)

HEALTHY: dict[str, Any] = {
    "noisy and flat": lambda n: 1 + 0.5 * n,
    "more noise than level": lambda n: n,
    "losses of single samples": np.exp,
    "a noisy fall": lambda n: FALL * (1 + 0.2 * n),
    "a fall by a factor of 200": lambda n: (0.01 + 2 * np.exp(-T / 200)) * np.exp(0.7 * n),
    "warm restarts": lambda n: FALL + 0.3 * (T % 500 < 100) * (T >= 500) + 0.1 * n,
    "spikes": lambda n: FALL + 0.1 * n + 50 * (T % 400 < 15),
    "a hump at the start": lambda n: 0.3 * np.exp(-(((T - 60) / 30) ** 2)) + 2 * np.exp(-T / 800) + 0.02 * n,
}
SICK: dict[str, Any] = {
    "back to where it came from": lambda n: np.where(T < 1000, FALL, 2.3) + 0.1 * n,
    "a slow climb": lambda n: FALL + np.maximum(0, (T - 1000) / 200) + 0.1 * n,
    "an explosion at once": lambda n: np.minimum(2 * 1.3 ** np.minimum(T, 99), 1e4) * np.exp(0.3 * n),
    "nan at last": lambda n: np.where(T < 1000, FALL + 0.1 * n, math.nan),
}


@pytest.mark.parametrize("case", HEALTHY)
def test_healthy_runs_go_on(case: str) -> None:
    for seed, kind in ((0, "normal"), (1, "normal"), (2, "normal"), (3, "hanging")):
        assert stopped_at(stop.diverged(), HEALTHY[case](noise(seed, len(T), kind))) is None


@pytest.mark.parametrize("case", SICK)
def test_sick_runs_are_stopped(case: str) -> None:
    for seed in range(4):
        at = stopped_at(stop.diverged(), SICK[case](noise(seed, len(T))))
        assert at is not None
        assert at <= 100 if "at once" in case else 1000 < at < 1600


def test_the_reason_tells_both_levels() -> None:
    condition = stop.diverged("val/loss", window=3, num=2)
    assert stopped_at(condition, [1.0, 0.5, 0.5, 0.5, 9.0, 9.0, 9.0, 9.0], "val/loss") == 7
    assert condition.reason() == (
        "val/loss has diverged: its median over 3 observations was 0.5 at update 3 and is 9 at update 7"
    )


def test_a_score_diverges_downwards() -> None:
    scores = [0.1, 0.5, 0.8, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1]
    assert stopped_at(stop.diverged("acc", window=3, num=1, mode="max"), scores, "acc") == 8


def test_nothing_but_nan_is_diverged() -> None:
    assert stopped_at(stop.diverged(window=5, num=1), [math.nan] * 10) == 5


def test_other_names_change_nothing() -> None:
    condition = stop.diverged(window=3, num=1)
    assert stopped_at(condition, [1.0, 1.0, 1.0, 9.0]) is None
    assert condition.see(seen(4, val__loss=99.0)) is None
    assert condition.see(seen(5, loss=9.0)) is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window": 2}, "window must be at least 3, got 2"),
        ({"num": 0}, "num must be at least 1, got 0"),
        ({"share": 0}, "share and sigmas must be above 0, got 0 and 7.0"),
        ({"sigmas": -1.0}, "share and sigmas must be above 0, got 0.5 and -1.0"),
        ({"mode": "low"}, "mode must be 'min'"),
    ],
)
def test_what_can_not_be_meant_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stop.diverged(**settings)
