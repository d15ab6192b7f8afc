from surefoot.rules.grad.gradient_leak_between_optimizers import check
from tests.rules.grad.build import LINE, ask, backward, gradient, other_step, step

BOTH = ((1, 2), (2, 2))


def test_a_gradient_that_the_other_step_used_leaks() -> None:
    events = (backward(1, line=30, at=1, reached=BOTH), other_step(2), backward(2, at=3))
    (evidence,) = ask(check, step(1, events, gradient(1, 2)))
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    assert evidence.numbers == {"params": 2, "leaked_backward_line": 30}


def test_one_line_backwards_the_losses_of_both() -> None:
    events = (backward(1, line=30, at=1, reached=BOTH), other_step(2), backward(2, line=30, at=3, reached=((1, 2),)))
    (evidence,) = ask(check, step(1, events, gradient(1, 2)))
    assert evidence.numbers["leaked_backward_line"] == 30


def test_tasks_with_heads_of_their_own_and_one_encoder_are_silent() -> None:
    with_heads = (
        backward(1, line=30, at=1, reached=((1, 2), (2, 2))),
        other_step(2),
        backward(2, line=30, at=3, reached=((1, 2), (3, 2))),
    )
    assert not ask(check, step(1, with_heads, gradient(1, 2)))


def test_cleared_joint_and_slow_optimizers_are_silent() -> None:
    cleared = (backward(1, line=30, at=1, reached=BOTH), other_step(2), backward(2, at=3))
    assert not ask(check, step(1, cleared, gradient(2)))
    joint = (backward(1, line=30, at=1, reached=BOTH), backward(2, at=2, reached=BOTH), other_step(3))
    assert not ask(check, step(1, joint, gradient(1, 2)))
    slow = (backward(1, at=1, reached=BOTH), other_step(2), backward(2, at=3, reached=BOTH))
    assert not ask(check, step(1, slow, gradient(1, 2)))
    not_its_own = (backward(1, line=30, at=1, reached=((1, 2),)), other_step(2), backward(2, at=3))
    assert not ask(check, step(1, not_its_own, gradient(1, 2)))
