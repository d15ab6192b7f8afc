from dataclasses import replace

import pytest

from surefoot.facts import BackwardFacts, GradientFacts
from surefoot.rules.health.non_finite_loss import check
from tests.rules.loss.build import BACKWARD, LOSS, ask, backward, lines, loss, step

NAN = float("nan")


def bad(ordinal: int = 2, value: float | None = NAN, **fields: object) -> BackwardFacts:
    return backward(loss("mse", **fields), ordinal, value=value)


@pytest.mark.parametrize("value", [NAN, float("inf"), float("-inf")])
def test_fires_and_tells_the_last_good_loss(value: float) -> None:
    good = step(backward(loss("mse"), 1, value=0.5), update=1)
    (evidence,) = ask(check, step(bad(value=value), update=2), good)
    assert lines([evidence]) == [LOSS]
    assert "it was 0.5 at step 1" in evidence.message
    assert evidence.numbers["step"] == 2


def test_tells_what_is_known_of_the_cause() -> None:
    assert "targets hold" in ask(check, step(bad(bad=("target", "input"))))[0].message
    assert "output holds" in ask(check, step(bad(bad=("input",))))[0].message


def test_a_loss_that_was_not_read_is_told_by_its_backward() -> None:
    assert lines(ask(check, step(backward(None, 1, value=NAN)))) == [BACKWARD]


def test_is_silent() -> None:
    assert ask(check, step(bad(value=3.0))) == []
    assert ask(check, step(bad(value=None))) == []
    assert ask(check, step(bad(num_valid=0))) == []
    assert ask(check, replace(step(bad()), skipped=True)) == []
    dropped = step(bad(1), backward(loss("mse"), 2, value=0.5), gradients=(GradientFacts(("w",), 1, sources=(2,)),))
    assert ask(check, dropped) == []
