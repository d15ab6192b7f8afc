"""Rules that look at what feeds a loss."""

from dataclasses import replace

import pytest

from surefoot.facts import InputFacts, LossFacts, OpFacts
from surefoot.rules.loss.kl_input_not_log import check as kl_input_not_log
from surefoot.rules.loss.logits_into_nll_loss import check as logits_into_nll_loss
from surefoot.rules.loss.relu_before_loss import check as relu_before_loss
from surefoot.rules.loss.sigmoid_before_bce_with_logits import check as sigmoid_before_bce_with_logits
from surefoot.rules.loss.softmax_before_cross_entropy import check as softmax_before_cross_entropy
from tests.rules.loss.build import LOSS, ask, end, lines, loss, step

SCORES = InputFacts((16, 5), -2.0, 3.0, is_log_probability=False, is_probability=False)
PROBABILITIES = InputFacts((16, 5), 0.0, 1.0, is_log_probability=False, is_probability=True)
LOG_PROBABILITIES = InputFacts((16, 5), -9.0, -0.1, is_log_probability=True, is_probability=False)


def test_softmax_before_cross_entropy_names_the_floor_of_the_loss() -> None:
    (evidence,) = ask(
        softmax_before_cross_entropy, step(loss("cross-entropy", "LogSoftmax", "Softmax", num_classes=10))
    )
    assert evidence.site is not None and evidence.site.line == LOSS
    assert evidence.numbers == {"classes": 10, "lowest_possible_loss": 1.4612}


@pytest.mark.parametrize(
    "silent",
    [
        loss("cross-entropy", "LogSoftmax", "Addmm"),
        loss("cross-entropy", "LogSoftmax", "LogSoftmax", "Addmm"),
        loss("cross-entropy", "LogSoftmax", "Log", "Softmax"),
        loss("cross-entropy", "LogSoftmax", "Mul"),
        loss("cross-entropy", "LogSoftmax", "Div", num_classes=5, input=SCORES),
        loss("mse", "Softmax"),
        loss("nll", "Log", "Softmax"),
    ],
)
def test_softmax_before_cross_entropy_is_silent(silent: LossFacts) -> None:
    assert ask(softmax_before_cross_entropy, step(silent)) == []


def test_softmax_by_hand_shows_in_the_values() -> None:
    by_hand = loss("cross-entropy", "LogSoftmax", "Div", num_classes=5, input=PROBABILITIES)
    assert lines(ask(softmax_before_cross_entropy, step(by_hand))) == [LOSS]
    of_labels = loss("cross-entropy", "LogSoftmax", "Bmm", num_classes=5, input=PROBABILITIES)
    (evidence,) = ask(softmax_before_cross_entropy, step(of_labels))
    assert "sums to one" in evidence.message


def test_every_term_of_a_sum_is_looked_at() -> None:
    bad = loss("cross-entropy", "LogSoftmax", "Softmax", num_classes=5)
    both = replace(loss("combined"), terms=(loss("mse", "Addmm"), bad))
    assert lines(ask(softmax_before_cross_entropy, step(both))) == [LOSS]


def test_a_program_without_steps_is_judged_at_its_end() -> None:
    bad = loss("cross-entropy", "LogSoftmax", "Softmax", num_classes=5)
    assert lines(ask(softmax_before_cross_entropy, end(bad))) == [LOSS]
    assert ask(softmax_before_cross_entropy, end(bad, num_steps=9)) == []


def test_logits_into_nll_loss() -> None:
    assert lines(ask(logits_into_nll_loss, step(loss("nll", "Addmm", input=SCORES)))) == [LOSS]
    assert lines(ask(logits_into_nll_loss, step(loss("nll", "Linear", input=SCORES)))) == [LOSS]
    assert lines(ask(logits_into_nll_loss, step(loss("nll", "Softmax", input=PROBABILITIES)))) == [LOSS]
    assert lines(ask(logits_into_nll_loss, step(loss("nll", "Sigmoid", input=SCORES)))) == [LOSS]


@pytest.mark.parametrize(
    "silent",
    [
        loss("nll", "Addmm"),  # values not seen
        loss("nll", "Addmm", input=replace(SCORES, highest=-0.1)),
        loss("nll", "Sub", input=SCORES),  # a formula of the program's own
        loss("nll", "Sum", input=SCORES),
        loss("nll", "Addmm", input=LOG_PROBABILITIES),
        loss("cross-entropy", "LogSoftmax", "Addmm", input=SCORES),
    ],
)
def test_logits_into_nll_loss_is_silent(silent: LossFacts) -> None:
    assert ask(logits_into_nll_loss, step(silent)) == []


@pytest.mark.parametrize("made_by", ["Sigmoid", "Softmax"])
def test_sigmoid_before_bce_with_logits(made_by: str) -> None:
    assert lines(ask(sigmoid_before_bce_with_logits, step(loss("bce-with-logits", made_by)))) == [LOSS]
    assert ask(sigmoid_before_bce_with_logits, step(loss("bce", made_by))) == []
    assert ask(sigmoid_before_bce_with_logits, step(loss("bce-with-logits", "Addmm"))) == []
    assert ask(sigmoid_before_bce_with_logits, step(loss("bce-with-logits", "Mul"))) == []


def test_relu_before_loss() -> None:
    assert lines(ask(relu_before_loss, step(loss("cross-entropy", "LogSoftmax", "Relu")))) == [LOSS]
    assert lines(ask(relu_before_loss, step(loss("bce-with-logits", "Relu")))) == [LOSS]
    for silent in (
        loss("cross-entropy", "LogSoftmax", "Mean"),
        loss("cross-entropy", "LogSoftmax", "LeakyRelu"),
        loss("mse", "Relu"),
        loss("bce-with-logits", "Addmm"),
    ):
        assert ask(relu_before_loss, step(silent)) == []


def test_kl_input_not_log() -> None:
    assert lines(ask(kl_input_not_log, step(loss("kl", "Softmax", input=PROBABILITIES)))) == [LOSS]
    assert lines(ask(kl_input_not_log, step(loss("kl", "Addmm", input=SCORES)))) == [LOSS]
    for silent in (
        loss("kl", "LogSoftmax", input=LOG_PROBABILITIES),
        loss("kl", "Log", input=LOG_PROBABILITIES),
        loss("kl", "Sub", input=SCORES),
        loss("kl", "Addmm", input=replace(SCORES, highest=0.0)),
        loss("kl", "Addmm"),
        loss("nll", "Softmax", input=PROBABILITIES),
    ):
        assert ask(kl_input_not_log, step(silent)) == []


def test_loss_without_operations_is_left_alone() -> None:
    rules = (softmax_before_cross_entropy, logits_into_nll_loss, sigmoid_before_bce_with_logits, relu_before_loss)
    for rule in (*rules, kl_input_not_log):
        for kind in ("cross-entropy", "nll", "bce-with-logits", "kl", ""):
            assert ask(rule, step(loss(kind, fed_by=()))) == []
            assert ask(rule, step(loss(kind, fed_by=(OpFacts("LogSoftmax"),)))) == []
