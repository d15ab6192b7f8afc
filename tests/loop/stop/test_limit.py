"""Numbers at which a run stops."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.loop import stop
from tests.loop.stop.seen import seen, stopped_at


def test_below_says_the_value_the_limit_and_the_update() -> None:
    condition = stop.below("loss", 0.05)
    assert condition.see(seen(811, loss=0.0512)) is None
    assert condition.see(seen(812, loss=0.0482)) == "loss 0.0482 is below 0.05 at update 812"


def test_above_is_strict() -> None:
    condition = stop.above("val/accuracy", 0.9)
    assert condition.see(seen(1, val__accuracy=0.9)) is None
    assert condition.see(seen(2, val__accuracy=0.95)) == "val/accuracy 0.95 is above 0.9 at update 2"


def test_a_value_close_to_its_limit_is_told_with_all_digits() -> None:
    assert stop.below("loss", 0.05).see(seen(3, loss=0.0499999)) == "loss 0.0499999 is below 0.05 at update 3"


def test_several_in_a_row() -> None:
    condition = stop.below("loss", 1.0, num=2)
    assert stopped_at(condition, [0.5, 1.5, 0.5, 0.7]) == 4
    assert condition.reason() == "loss 0.7 is below 1 in 2 observations in a row at update 4"


def test_values_of_other_names_change_nothing() -> None:
    condition = stop.below("loss", 1.0, num=2)
    assert condition.see(seen(1, loss=0.5)) is None
    assert condition.see(seen(1, val__loss=9.0)) is None
    assert condition.see(seen(2, loss=0.5)) is not None


@given(st.lists(st.floats(), min_size=1), st.floats(allow_nan=False))
def test_below_stops_at_the_first_value_below_and_nan_is_none(values: list[float], limit: float) -> None:
    first = next((number for number, value in enumerate(values, 1) if value < limit), None)
    assert stopped_at(stop.below("loss", limit), values) == first


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nonfinite(value: float) -> None:
    condition = stop.nonfinite()
    assert condition.see(seen(1, loss=1e30)) is None
    assert condition.see(seen(2, loss=value)) == f"loss is {value} at update 2"


def test_after() -> None:
    condition = stop.after(updates=10, seconds=60, epochs=3)
    assert condition.see(seen(9, epoch=2, seconds=59.9)) is None
    assert condition.see(seen(10)) == "update 10 of at most 10 is done"
    assert condition.see(seen(9, epoch=3)) == "epoch 3 of at most 3 is done, at update 9"
    assert condition.see(seen(9, seconds=60.25)) == "60.2 seconds of at most 60 have passed, at update 9"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: stop.after(), TypeError, "at least one of updates="),
        (lambda: stop.after(updates=0), ValueError, "updates must be at least 1, got 0"),
        (lambda: stop.after(seconds=0), ValueError, "seconds must be above 0, got 0"),
        (lambda: stop.after(epochs=1.5), TypeError, "epochs must be a whole number, got 1.5"),
        (lambda: stop.below("loss", math.nan), ValueError, "limit must be a number that values can be compared with"),
        (lambda: stop.below("loss", "0.1"), TypeError, "limit must be a number, got '0.1'"),
        (lambda: stop.below(0.1, 0.2), TypeError, "name must be the name of a value"),
        (lambda: stop.above("loss", 1.0, num=0), ValueError, "num must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
