from surefoot.rules.clip.clip_after_step import check
from tests.rules.clip.build import CLIP_LINE, clip
from tests.rules.grad.build import ask, backward, clear, gradient, other_step, step

LATE = clip(15, 1, num_fresh=0, used_by=(1,))


def test_fires_when_used_gradients_are_clipped_and_then_cleared() -> None:
    (evidence,) = ask(check, step(2, (LATE, clear(16), backward(2)), gradient(2)))
    assert evidence.site is not None and evidence.site.line == CLIP_LINE
    assert evidence.numbers["used_at_step"] == 1


def test_silent_when_they_are_used_again() -> None:
    assert not ask(check, step(2, (LATE, backward(2)), gradient(1, 2, used_by=(1,))))
    shared = clip(15, 1, num_fresh=0, used_by=(1,), optimizers=(1, 2))
    assert not ask(check, step(2, (shared, other_step(16, optimizer=2), clear(17), backward(2)), gradient(2)))


def test_silent_when_the_step_is_limited_too() -> None:
    assert not ask(check, step(2, (LATE, clear(16), backward(2), clip(25, 2)), gradient(2)))


def test_silent_when_some_are_fresh_or_the_call_only_measures() -> None:
    for unlike in (
        clip(15, 1, num_fresh=1, used_by=(1,)),
        clip(15, 1, num_fresh=0, used_by=(1,), max_norm=float("inf")),
        clip(15, 1, num_fresh=0, used_by=(1,), optimizers=(2,)),
        clip(15, 1, num_fresh=0, used_by=(1,), inside_step=1),
        clip(15, 1),
    ):
        assert not ask(check, step(2, (unlike, clear(16), backward(2)), gradient(2)))
