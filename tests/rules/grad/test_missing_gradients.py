"""step-without-backward, backward-misses-optimizer and decay-without-gradient."""

from surefoot.rules.grad import backward_misses_optimizer, decay_without_gradient, step_without_backward
from tests.rules.grad.build import ask, backward, gradient, setup, step


def empty(update: int) -> object:
    return step(update, (), gradient(present=False))


def test_a_second_step_on_the_same_gradient_fires() -> None:
    (evidence,) = ask(step_without_backward.check, step(2, (), gradient(1, used_by=(1,))))
    assert evidence.numbers == {"params": 2, "used_at_step": 1}


def test_three_empty_steps_fire_but_not_two_or_a_foreign_optimizer() -> None:
    check = step_without_backward.check
    assert ask(check, empty(3), setup(), empty(1), empty(2))
    assert not ask(check, empty(2), setup(), empty(1))
    assert not ask(check, empty(3), setup(builtin=False), empty(1), empty(2))
    assert not ask(check, empty(3), setup(), step(1, (backward(1),), gradient(1)), empty(2))


def test_steps_that_have_a_reason_are_silent() -> None:
    check = step_without_backward.check
    reused = gradient(1, used_by=(1,))
    assert not ask(check, step(2, (backward(2),), gradient(2)))
    assert not ask(check, step(2, (), reused, closure=True))
    assert not ask(check, step(2, (), reused, inside_step=3))
    assert not ask(check, step(2, (), gradient(by_hand=True)))
    assert not ask(check, step(2, (), gradient(1, used_by_others=(1,))))


def missed(update: int, **fields: object) -> object:
    return step(update, (backward(update, reached=((2, 4),)),), gradient(present=False), **fields)


def test_an_optimizer_never_reached_fires_at_the_third_step() -> None:
    check = backward_misses_optimizer.check
    (evidence,) = ask(check, missed(3), missed(1), missed(2))
    assert evidence.numbers["params"] == 2
    assert not ask(check, missed(2), missed(1))


def test_alternating_training_and_detached_losses_are_silent() -> None:
    check = backward_misses_optimizer.check
    assert not ask(check, missed(3), step(1, (backward(1),), gradient(1)), missed(2))
    nowhere = [step(u, (backward(u, reached=()),), gradient(present=False)) for u in (1, 2, 3)]
    assert not ask(check, nowhere[2], nowhere[0], nowhere[1])


def test_zeros_left_behind_are_noted_where_they_move_weights() -> None:
    check = decay_without_gradient.check
    now = step(2, (backward(2),), gradient(2), gradient())
    assert ask(check, now, setup("SGD", momentum=0.9))
    assert ask(check, now, setup("Adam"))
    assert not ask(check, now, setup("SGD"))
    assert not ask(check, step(2, (backward(2),), gradient(2), gradient(present=False)), setup("Adam"))
