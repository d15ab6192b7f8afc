from dataclasses import replace

from surefoot.facts import ModeFacts
from surefoot.rules.mode.training_in_eval_mode import check
from tests.rules.mode.build import STEP, ask, in_eval, step


def test_after_steps_in_train_mode() -> None:
    (found,) = ask(check, step(in_eval()))
    assert found.site == STEP
    assert found.message == (
        "this step trains Net in eval mode, with 2 dropout layers and the batch statistics of 1 batch-norm layer off: "
        "eval() was called at train.py:30; 5 earlier steps ran in train mode"
    )


def test_after_a_single_step_in_train_mode() -> None:
    (found,) = ask(check, step(in_eval(num_steps_in_train=1)))
    assert found.message.endswith("; 1 earlier step ran in train mode")


def test_from_the_first_step() -> None:
    (found,) = ask(check, step(in_eval(num_steps_in_train=0, num_dropout=0, num_batchnorm=0, functional_dropout=True)))
    assert "functional dropout off: eval() was called at train.py:30 before the first step" in found.message


def test_frozen_parameters_excuse_a_model_that_was_in_eval_mode_from_the_start_only() -> None:
    assert ask(check, step(in_eval(num_steps_in_train=0, num_frozen=4))) == []
    assert ask(check, step(in_eval(num_frozen=4)))


def test_silent_in_train_mode_without_backward_and_when_skipped() -> None:
    assert ask(check, step()) == []
    assert ask(check, step(ModeFacts())) == []
    assert ask(check, step(in_eval(), num_backwards=0)) == []
    assert ask(check, replace(step(in_eval()), skipped=True)) == []
