"""Rules that look at classes and targets."""

import math
from dataclasses import replace

import pytest

from surefoot.facts import InputFacts, LossFacts, OpFacts, TargetFacts
from surefoot.rules.loss.class_index_regression import check as class_index_regression
from surefoot.rules.loss.no_valid_targets import check as no_valid_targets
from surefoot.rules.loss.single_class_cross_entropy import check as single_class
from tests.rules.loss.build import LOSS, ask, backward, end, lines, loss, step

ONE_CLASS = loss("cross-entropy", "LogSoftmax", "Addmm", num_classes=1)


def test_single_class_needs_three_batches() -> None:
    past = [step(ONE_CLASS, update=1), step(ONE_CLASS, update=2)]
    assert lines(ask(single_class, step(ONE_CLASS, update=3), *past)) == [LOSS]
    assert ask(single_class, step(ONE_CLASS, update=2), *past[:1]) == []
    assert lines(ask(single_class, end(ONE_CLASS, ONE_CLASS, ONE_CLASS))) == [LOSS]


def test_single_class_is_silent_where_candidates_vary() -> None:
    three = replace(ONE_CLASS, num_classes=3)
    past = [step(ONE_CLASS, update=1), step(three, update=2), step(ONE_CLASS, update=3)]
    assert ask(single_class, step(ONE_CLASS, update=4), *past) == []
    assert ask(single_class, step(three, update=4), *past) == []
    assert ask(single_class, step(replace(ONE_CLASS, kind="nll"), update=4), *past) == []


EMPTY = loss("cross-entropy", "LogSoftmax", num_valid=0, num_items=0)


def test_a_mean_over_no_target_fires_at_once() -> None:
    (evidence,) = ask(no_valid_targets, step(EMPTY))
    assert lines([evidence]) == [LOSS]
    assert evidence.message == (
        "no target of a batch counts in this cross-entropy loss, because all are its ignored index or there are none: "
        "its mean is NaN"
    )


@pytest.mark.parametrize("empty", [replace(EMPTY, reduction="sum"), replace(EMPTY, num_items=16)])
def test_a_sum_over_no_target_fires_when_it_happens_again(empty: LossFacts) -> None:
    full = replace(empty, num_valid=9)
    past = [step(empty, update=1), step(full, update=2)]
    assert lines(ask(no_valid_targets, step(empty, update=3), *past)) == [LOSS]
    assert ask(no_valid_targets, step(empty)) == []
    assert ask(no_valid_targets, step(empty, update=3), step(full, update=1), step(full, update=2)) == []


def test_a_mean_by_hand_over_no_target_fires_at_once() -> None:
    by_hand = replace(EMPTY, reduction="sum", num_items=16)
    (evidence,) = ask(no_valid_targets, step(backward(by_hand, value=math.nan)))
    assert evidence.message.endswith("its mean is NaN")
    assert ask(no_valid_targets, step(backward(by_hand, value=0.0))) == []


def test_a_sum_beside_another_task_may_be_over_nothing_in_some_batches() -> None:
    empty = replace(EMPTY, reduction="sum")
    both = LossFacts(("Add",), "combined", terms=(empty, replace(empty, num_valid=9)), num_terms=2)
    past = [step(both, update=i) for i in (1, 2)]
    assert ask(no_valid_targets, step(both, update=3), *past) == []
    mean = replace(both, terms=(EMPTY, empty))
    assert len(ask(no_valid_targets, step(mean, update=3), *past)) == 1


def test_valid_targets_are_silent() -> None:
    assert ask(no_valid_targets, step(replace(EMPTY, num_valid=3, num_items=3))) == []
    assert ask(no_valid_targets, step(replace(EMPTY, num_valid=None, num_items=None))) == []


LABELS = TargetFacts((16, 1), "float32", 0.0, 4.0, num_distinct=5, is_whole=True, is_same_in_row=True)
INDICES = loss("mse", "Addmm", input=InputFacts((16, 5)), target=LABELS)


@pytest.mark.parametrize(
    "bad",
    [
        INDICES,
        replace(INDICES, kind="l1", target=replace(LABELS, shape=(16, 5))),
        replace(INDICES, input=InputFacts((5, 5)), target=replace(LABELS, shape=(5,))),
        replace(
            INDICES,
            fed_by=(OpFacts("Max", (16,)), OpFacts("Addmm", (16, 5))),
            input=InputFacts((16,)),
            target=replace(LABELS, shape=(16,)),
        ),
    ],
)
def test_class_index_regression(bad: LossFacts) -> None:
    assert lines(ask(class_index_regression, step(bad))) == [LOSS]


@pytest.mark.parametrize(
    "silent",
    [
        replace(INDICES, input=InputFacts((16, 1))),  # counts
        replace(INDICES, input=InputFacts((16, 2)), target=replace(LABELS, highest=1.0, num_distinct=2)),
        replace(INDICES, target=replace(LABELS, is_whole=False, num_distinct=None)),
        replace(INDICES, target=replace(LABELS, is_same_in_row=False, num_distinct=None)),  # one-hot
        replace(INDICES, target=replace(LABELS, highest=9.0)),
        replace(INDICES, target=replace(LABELS, lowest=-1.0)),
        replace(INDICES, input=InputFacts((16, 40))),  # far more outputs than labels
        replace(INDICES, target=None),
        replace(INDICES, input=None),
        replace(INDICES, kind="cross-entropy"),
        replace(INDICES, target=replace(LABELS, shape=(16,))),
    ],
)
def test_class_index_regression_is_silent(silent: LossFacts) -> None:
    assert ask(class_index_regression, step(silent)) == []
