"""Verdicts on synthetic curves: what is said must be so, whatever the noise."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.report.convergence import Curve
from surefoot.report.convergence.rate import Rate, most_changing, rate_since
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


def constant(num: int) -> Curve:
    return Curve.of("lr", range(1, num + 1), np.full(num, 0.1))


def verdicts(shape: Callable[[Array], Array], spread: float, num: int) -> Counter[str]:
    """Over seeds and kinds of noise; x runs from 0 to 1."""
    found: Counter[str] = Counter()
    for seed in range(NUM_SEEDS // 5):
        draw = np.random.default_rng(seed)
        for noise in noises(draw, num).values():
            y = shape(np.linspace(0, 1, num)) + spread * noise
            verdict = judge_curve(Curve.of("loss", np.arange(1, num + 1), y), constant(num))
            assert verdict is not None
            found[verdict.kind] += 1
    return found


@pytest.mark.parametrize("num", LENGTHS)
def test_a_steady_fall_is_never_called_at_rest_or_worse(num: int) -> None:
    found = verdicts(lambda x: 3 - 2 * x, 0.05, num)
    assert set(found) <= {"falling", "unclear"}, found
    assert found["falling"] >= (0.8 if num < 500 else 1.0) * NUM_SEEDS, found


@pytest.mark.parametrize("num", LENGTHS)
def test_a_plateau_is_not_called_falling_or_rising(num: int) -> None:
    found = verdicts(lambda x: 2 + 2 * np.exp(-60 * x), 0.1, num)
    assert found["resting"] >= {120: 0.2, 500: 0.7, 5000: 0.95}[num] * NUM_SEEDS, found
    assert not (found["diverged"] or found["falling"] or found["rising"]), found


@pytest.mark.parametrize("num", LENGTHS)
def test_noise_alone_did_not_improve(num: int) -> None:
    assert set(verdicts(lambda x: 0 * x + 2.3, 0.1, num)) == {"stuck"}


def test_a_plateau_near_the_first_value_is_not_called_at_rest() -> None:
    """A model that has found nothing yet rests there too."""
    assert set(verdicts(lambda x: 0.6 + 0.09 * np.exp(-60 * x), 0.001, 5000)) == {"stuck"}


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
    assert not found["falling"] and not found["resting"], found


def test_a_slow_fall_within_the_noise_is_not_denied_where_it_can_be_seen() -> None:
    found = verdicts(lambda x: 2 - 1.5 * x, 1.0, 5000)
    assert found["falling"] >= 0.6 * NUM_SEEDS, found
    assert not found["resting"] and not found["rising"] and not found["diverged"]


def test_what_hardly_falls_but_surely_is_not_at_rest() -> None:
    assert set(verdicts(lambda x: 1 + np.exp(-30 * x) - 0.005 * x, 1e-6, 5000)) == {"slowing"}


def test_only_a_constant_rate_lets_a_plateau_speak_of_a_longer_run() -> None:
    steps = np.arange(1, 1001)
    curve = Curve.of("loss", steps, 1 + np.exp(-steps / 30) + 0.01 * np.random.default_rng(1).normal(size=1000))
    decayed = judge_curve(curve, Curve.of("lr", steps, 0.1 * (1 - (steps - 1) / 1000)))
    assert decayed is not None and decayed.kind == "scheduled"
    assert decayed.rate is not None and decayed.rate.is_spent
    unknown, known = judge_curve(curve), judge_curve(curve, constant(1000))
    assert unknown is not None and unknown.kind == "scheduled" and unknown.rate is None
    assert known is not None and known.kind == "resting" and known.since == 501


def test_the_rate_of_the_second_half() -> None:
    steps = np.arange(1, 101)
    warmed_up = Curve.of("lr", steps, np.minimum(steps, 20) / 200)
    assert rate_since(warmed_up, 51) == Rate(0.1, 0.1, True, 0.1)
    assert rate_since(warmed_up, 101) is None
    changing, still = Curve.of("lr/1", steps, 1 / steps), constant(100)
    assert most_changing([still, changing, Curve.of("lr/2", [], [])]) is changing
    assert most_changing([]) is None


def test_too_short_to_say() -> None:
    assert judge_curve(Curve.of("loss", range(119), np.linspace(2, 1, 119))) is None
    assert judge_curve(Curve.of("loss", [], [])) is None


def test_an_end_that_is_not_finite() -> None:
    y = np.linspace(2, 1, 200)
    y[[7, 150]] = np.nan
    found = judge_curve(Curve.of("loss", range(1, 201), y))
    assert found is not None and found.kind == "falling"
    y[180:] = np.inf
    found = judge_curve(Curve.of("loss", range(1, 201), y))
    assert found is not None and (found.kind, found.since) == ("not finite", 181)


def test_equal_values() -> None:
    found = judge_curve(Curve.of("loss", range(200), np.full(200, 0.7)), constant(200))
    assert found is not None and found.kind == "stuck"
    found = judge_curve(Curve.of("loss", range(200), np.r_[np.full(5, 3.0), np.zeros(195)]), constant(200))
    assert found is not None and found.kind == "resting"


def test_trends() -> None:
    x = np.arange(10.0)
    assert slope(x, 3 - 2 * x) == -2
    assert slope(np.zeros(3), np.arange(3.0)) == 0
    assert rise_score(x) > 3.5 and rise_score(-x) == -rise_score(x)
    assert rise_score(np.zeros(10)) == 0
    swings = np.sin(np.arange(60) / 10)
    assert abs(careful_rise_score(np.arange(60.0), swings)) < abs(rise_score(swings))
