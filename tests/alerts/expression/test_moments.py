"""Windows over long and rough series: what their sums say is what all their values say."""

import random
import statistics

import pytest

from surefoot.alerts.expression.series import Window


def series(kind: str, num: int = 3000) -> list[float]:
    draw = random.Random(0)
    noise = [draw.gauss(0, 1) for _ in range(num)]
    match kind:
        case "noise":
            return noise
        case "far from zero":
            return [1e8 + value for value in noise]
        case "outliers":
            return [value * 1e-3 + 1e9 * (i % 500 == 100) for i, value in enumerate(noise)]
        case _:
            return [1e6 * 0.98**i + 1e-4 * value for i, value in enumerate(noise)]


@pytest.mark.parametrize("num", [2, 50, 700])
@pytest.mark.parametrize("kind", ["noise", "far from zero", "outliers", "falling by ten powers"])
def test_sums_keep_their_digits(kind: str, num: int) -> None:
    window, in_order = Window(num), Window(num, is_sorted=True)
    values = series(kind)
    for step, value in enumerate(values):
        window.add(step, value)
        in_order.add(step, value)
        if step >= num and step % 97 == 0:
            whole = values[step - num + 1 : step + 1]
            spread = statistics.stdev(whole)
            assert window.moments.mean == pytest.approx(statistics.fmean(whole), abs=1e-6 * spread, rel=1e-12)
            assert window.moments.spread == pytest.approx(spread, rel=1e-4)
            line = statistics.linear_regression(range(step - num + 1, step + 1), whole)
            assert window.moments.slope == pytest.approx(line.slope, abs=1e-4 * spread / num)
            assert in_order.ordered == sorted(whole)
    assert len(window.values) == num
