"""graph-built-in-evaluation and dropout-active-in-eval."""

import pytest

from surefoot.facts import EvaluationFacts
from surefoot.rules.mode import dropout_active_in_eval, graph_built_in_evaluation
from tests.rules.mode.build import DROPOUT, FORWARD, ask, end, evaluation, step


def test_graphs_that_nobody_backwards() -> None:
    run = evaluation(with_gradient=True, in_train=False, num_forwards=3)
    (found,) = ask(graph_built_in_evaluation.check, step(None, run))
    assert found.site == FORWARD
    assert ask(graph_built_in_evaluation.check, end(run))


@pytest.mark.parametrize(
    "run",
    [
        evaluation(in_train=False),
        evaluation(with_gradient=True),
        evaluation(with_gradient=True, in_train=False, wants_input_gradient=True),
        evaluation(with_gradient=True, in_train=False, is_trained=False),
    ],
)
def test_graphs_in_use_and_none_at_all(run: EvaluationFacts) -> None:
    assert ask(graph_built_in_evaluation.check, step(None, run)) == []


def test_dropout_out_of_reach() -> None:
    run = evaluation(in_train=False, dropout_in_eval=(DROPOUT,))
    (found,) = ask(dropout_active_in_eval.check, step(None, run))
    assert found.site == DROPOUT
    assert ask(dropout_active_in_eval.check, end(run))


@pytest.mark.parametrize(
    "run",
    [
        evaluation(in_train=False),
        evaluation(in_train=False, dropout_in_eval=(DROPOUT,), num_forwards=10, num_repeated=9),
        evaluation(in_train=False, dropout_in_eval=(DROPOUT,), is_trained=False),
    ],
)
def test_dropout_as_asked(run: EvaluationFacts) -> None:
    assert ask(dropout_active_in_eval.check, step(None, run)) == []
