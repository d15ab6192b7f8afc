from dataclasses import replace

import pytest

from surefoot.facts import LossFacts, StepFacts, TargetFacts
from surefoot.rules.loss.initial_loss_off import check
from tests.rules.loss.build import LOSS, ask, backward, lines, loss, step

PLAIN = loss("cross-entropy", "LogSoftmax", "Addmm", num_classes=10)


def first(of: LossFacts, value: float, update: int) -> StepFacts:
    return step(backward(of, update, value=value), update=update)


def test_fires_at_the_second_step() -> None:
    evidence = ask(check, first(PLAIN, 39.0, 2), first(PLAIN, 41.0, 1))
    assert lines(evidence) == [LOSS]
    assert evidence[0].numbers["loss_of_guessing"] == 2.3026
    halved = replace(PLAIN, factor=0.5)
    assert lines(ask(check, first(halved, 19.5, 2), first(halved, 20.5, 1))) == [LOSS]


def test_is_silent_near_the_loss_of_guessing_and_later() -> None:
    assert ask(check, first(PLAIN, 2.4, 2), first(PLAIN, 2.5, 1)) == []
    assert ask(check, first(PLAIN, 9.0, 2), first(PLAIN, 12.0, 1)) == []
    assert ask(check, first(PLAIN, 2.4, 2), first(PLAIN, 41.0, 1)) == []
    assert ask(check, first(PLAIN, 50.0, 3), first(PLAIN, 41.0, 2)) == []
    assert ask(check, first(PLAIN, 50.0, 1)) == []
    assert ask(check, first(PLAIN, float("inf"), 2), first(PLAIN, 41.0, 1)) == []


@pytest.mark.parametrize(
    "silent",
    [
        replace(PLAIN, reduction="sum"),
        replace(PLAIN, is_weighted=True),
        replace(PLAIN, label_smoothing=0.1),
        replace(PLAIN, is_pretrained=True),
        replace(PLAIN, num_terms=2),
        replace(PLAIN, num_classes=None),
        replace(PLAIN, factor=None),
        replace(PLAIN, target=TargetFacts((10,), "int64", counts_up=True)),
        replace(PLAIN, kind="mse"),
        loss("cross-entropy", "LogSoftmax", "Mul", num_classes=10),
        loss("cross-entropy", "LogSoftmax", num_classes=10),
    ],
)
def test_is_silent_where_no_guess_can_be_compared(silent: LossFacts) -> None:
    assert ask(check, first(silent, 39.0, 2), first(silent, 41.0, 1)) == []
