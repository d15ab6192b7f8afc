"""Verdicts on synthetic curves: what is said must be so, whatever the noise."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.report.convergence import Curve
from surefoot.report.convergence.trend import careful_rise_score, rise_score, slope
from surefoot.report.convergence.verdict import judge_curve

Array = NDArray[np.float64]
NUM_SEEDS = 30
LENGTHS = (120, 500, 5000)


def correlated(draw: np.random.Generator, num: int, by: float = 0.8) -> Array:
    noise = draw.normal(size=num)
    for i in range(1, num):
        noise[i] = by * noise[i - 1] + np.sqrt(1 - by * by) * noise[i]
    return noise


def noises(draw: np.random.Generator, num: int) -> dict[str, Array]:
    return {
        "normal": draw.normal(size=num),
        "heavy": draw.standard_t(2, size=num),
        "skewed": draw.exponential(size=num) - 1,
        "correlated": correlated(draw, num),
        "growing": draw.normal(size=num) * np.linspace(0.2, 2, num),
    }


def verdicts(shape: Callable[[Array], Array], spread: float, num: int) -> Counter[str]:
    """Over seeds and kinds of noise; x runs from 0 to 1."""
    found: Counter[str] = Counter()
    for seed in range(NUM_SEEDS // 5):
        draw = np.random.default_rng(seed)
        for noise in noises(draw, num).values():
            y = shape(np.linspace(0, 1, num)) + spread * noise
            verdict = judge_curve(Curve.of("loss", np.arange(1, num + 1), y))
            assert verdict is not None
            found[verdict.kind] += 1
    return found


@pytest.mark.parametrize("num", LENGTHS)
def test_a_steady_fall_is_never_called_flat_or_worse(num: int) -> None:
    found = verdicts(lambda x: 3 - 2 * x, 0.05, num)
    assert set(found) <= {"improving", "unclear"}, found
    assert found["improving"] >= (0.8 if num < 500 else 1.0) * NUM_SEEDS, found


@pytest.mark.parametrize("num", LENGTHS)
def test_a_plateau_is_not_called_improving_or_rising(num: int) -> None:
    found = verdicts(lambda x: 0.5 + 2 * np.exp(-30 * x), 0.1, num)
    assert found["flat"] >= {120: 0.2, 500: 0.7, 5000: 0.95}[num] * NUM_SEEDS, found
    assert not (found["diverged"] or found["improving"] or found["stuck"]), found


@pytest.mark.parametrize("num", LENGTHS)
def test_noise_alone_did_not_improve(num: int) -> None:
    found = verdicts(lambda x: 0 * x + 2.3, 0.1, num)
    assert found["stuck"] + found["unclear"] >= 0.95 * NUM_SEEDS, found
    assert found["stuck"] >= 0.8 * NUM_SEEDS, found
    assert not found["improving"]


@pytest.mark.parametrize("num", LENGTHS)
def test_divergence(num: int) -> None:
    found = verdicts(lambda x: 1 - x + 8 * np.maximum(0, x - 0.5), 0.05, num)
    assert set(found) == {"diverged"}
    found = verdicts(lambda x: 2 * np.exp(-20 * x) + np.maximum(0, x - 0.6), 0.02, num)
    assert set(found) <= {"rising", "unclear"}, found
    assert found["rising"] >= (0.5 if num < 500 else 1.0) * NUM_SEEDS, found


@pytest.mark.parametrize("periods", [1.75, 3.75, 20])
def test_swings_are_no_progress(periods: float) -> None:
    """The last phase falls, each time to where it was before."""
    found = verdicts(lambda x: 2 + np.cos(2 * np.pi * periods * x), 0.05, 5000)
    assert not found["improving"], found


def test_a_slow_fall_within_the_noise_is_not_denied_where_it_can_be_seen() -> None:
    found = verdicts(lambda x: 2 - 1.5 * x, 1.0, 5000)
    assert found["improving"] >= 0.6 * NUM_SEEDS, found
    assert not found["rising"] and not found["diverged"]


def test_what_hardly_falls_is_flat() -> None:
    assert set(verdicts(lambda x: 1 + np.exp(-30 * x) - 0.005 * x, 1e-6, 5000)) == {"flat"}


def test_the_plateau_is_dated() -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        x = np.arange(1, 3001)
        y = 0.5 + np.maximum(0, 1 - x / 1500) + 0.05 * draw.normal(size=3000)
        verdict = judge_curve(Curve.of("loss", x, y))
        assert verdict is not None and verdict.kind == "flat"
        assert 1300 <= verdict.since <= 2000
        assert 0.35 < verdict.band[0] < 0.5 < verdict.band[1] < 0.65


def test_too_short_to_say() -> None:
    assert judge_curve(Curve.of("loss", range(119), np.linspace(2, 1, 119))) is None
    assert judge_curve(Curve.of("loss", [], [])) is None


def test_an_end_that_is_not_finite() -> None:
    y = np.linspace(2, 1, 200)
    y[[7, 150]] = np.nan
    found = judge_curve(Curve.of("loss", range(1, 201), y))
    assert found is not None and found.kind == "improving"
    y[180:] = np.inf
    found = judge_curve(Curve.of("loss", range(1, 201), y))
    assert found is not None and (found.kind, found.since) == ("not finite", 181)


def test_equal_values() -> None:
    found = judge_curve(Curve.of("loss", range(200), np.full(200, 0.7)))
    assert found is not None and found.kind == "stuck"
    found = judge_curve(Curve.of("loss", range(200), np.r_[3.0, np.zeros(199)]))
    assert found is not None and found.kind in ("flat", "stuck")


def test_trends() -> None:
    x = np.arange(10.0)
    assert slope(x, 3 - 2 * x) == -2
    assert slope(np.zeros(3), np.arange(3.0)) == 0
    assert rise_score(x) > 3.5 and rise_score(-x) == -rise_score(x)
    assert rise_score(np.zeros(10)) == 0
    swings = np.sin(np.arange(60) / 10)
    assert abs(careful_rise_score(np.arange(60.0), swings)) < abs(rise_score(swings))
