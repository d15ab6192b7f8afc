from typing import Any

import pytest

from surefoot.facts import EvaluationFacts
from surefoot.rules.mode.evaluating_in_train_mode import check
from tests.rules.mode.build import FORWARD, ask, end, evaluation, step


@pytest.mark.parametrize(
    "run",
    [
        evaluation(gaps=(5,), num_forwards=3, phase=2),  # a pass over data, and again
        evaluation(gaps=(10, 10), phase=3),  # one tensor, at equal intervals
        evaluation(gaps=(2, 2, 2), phase=4),
        evaluation(gaps=(10, 10), phase=3, before_first_step=True),  # also at step 0
    ],
)
def test_recurring_evaluations(run: EvaluationFacts) -> None:
    (found,) = ask(check, step(None, run))
    assert found.site == FORWARD
    assert "without gradient in train mode" in found.message


@pytest.mark.parametrize(
    "run",
    [
        evaluation(is_last=True),  # a test after training
        evaluation(is_last=True, gaps=(1, 1, 1), phase=4),  # after each full-batch step
        evaluation(gaps=(10,), phase=2),  # never in a hurry
        evaluation(is_last=True, gaps=(10, 10), phase=3, before_first_step=True),
    ],
)
def test_what_the_end_decides(run: EvaluationFacts) -> None:
    assert ask(check, end(run))
    assert ask(check, end(run, reason="raised")) == []


def test_the_message_tells_what_the_evaluation_did() -> None:
    (found,) = ask(check, step(None, evaluation(gaps=(5,), num_forwards=3, num_dropout=2)))
    assert "Net ran 3 forwards" in found.message
    assert "1 batch-norm layer moved their statistics and 2 dropout layers dropped activations" in found.message


@pytest.mark.parametrize(
    "run",
    [
        evaluation(),  # seen once
        evaluation(gaps=(1, 1, 1, 1), num_forwards=2),  # targets for every step
        evaluation(gaps=(2, 1, 3, 2)),  # by chance
        evaluation(gaps=(2, 2)),
        evaluation(gaps=(4, 4, 4), num_forwards=16, before_first_step=True),  # rollouts
        evaluation(gaps=(5, 5, 5), num_optimizers=2),  # a sample of a generator
    ],
)
def test_parts_of_the_training_step(run: EvaluationFacts) -> None:
    assert ask(check, step(None, run)) == []
    assert ask(check, end(run)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"switched_on": True},
        {"recalibrates": True},
        {"num_repeated": 4},
        {"is_trained": False},
        {"in_train": False},
        {"with_gradient": True, "num_forwards": 1},
        {"with_gradient": True, "in_train": False},
        {"num_batchnorm": 0},
    ],
)
def test_on_purpose_or_without_effect(fields: dict[str, Any]) -> None:
    run = EvaluationFacts(
        model="Net", site=FORWARD, gaps=(5, 5), is_last=True, **{"num_forwards": 5, "num_batchnorm": 1, **fields}
    )
    assert ask(check, step(None, run)) == []
    assert ask(check, end(run)) == []


def test_a_copy_of_the_trained_model_is_evaluated_too() -> None:
    run = evaluation(gaps=(5,), num_forwards=3, is_trained=False, is_copy=True)
    assert len(ask(check, step(None, run))) == 1


def test_an_evaluation_that_records_graphs() -> None:
    (found,) = ask(check, step(None, evaluation(gaps=(5,), num_forwards=3, with_gradient=True)))
    assert "3 forwards in train mode, and no backward followed" in found.message
    assert "under torch.no_grad()" in found.fix
