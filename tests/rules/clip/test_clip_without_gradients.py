from surefoot.facts import StepFacts
from surefoot.rules.clip.clip_without_gradients import check
from tests.rules.clip.build import CLIP_LINE, clip
from tests.rules.grad.build import ask, backward, gradient, step


def foreign(update: int) -> StepFacts:
    event = clip(10 * update + 5, optimizers=(), akin=())
    return step(update, (backward(update), event), gradient(update))


def test_fires_before_backward() -> None:
    (evidence,) = ask(check, step(1, (clip(5), backward(1)), gradient(1)))
    assert evidence.site is not None and evidence.site.line == CLIP_LINE
    assert "before backward" in evidence.message


def test_fires_on_zero_filled_gradients_before_backward() -> None:
    assert ask(check, step(1, (clip(5, num_gradients=2), backward(1)), gradient(1)))


def test_fires_on_an_exhausted_iterator() -> None:
    event = clip(15, num_params=0, used_up=True, optimizers=())
    (evidence,) = ask(check, step(2, (backward(1), event), gradient(1)))
    assert "already consumed" in evidence.message
    fresh_but_empty = clip(15, num_params=0, optimizers=())
    assert not ask(check, step(2, (backward(1), fresh_but_empty), gradient(1)))


def test_fires_on_another_model_after_three_steps() -> None:
    assert not ask(check, foreign(2), foreign(1))
    (evidence,) = ask(check, foreign(3), foreign(1), foreign(2))
    assert "does not train" in evidence.message


def test_fires_on_another_model_whose_gradients_were_used() -> None:
    used = {"num_fresh": 0, "used_by": (1,), "optimizers": (2,), "akin": (2,)}
    steps = [step(n, (backward(n), clip(10 * n + 5, 99, **used)), gradient(n)) for n in range(1, 4)]
    assert ask(check, steps[-1], *steps[:-1])
    in_time = step(2, (backward(2), clip(25, 2, optimizers=(2,))), gradient(2))
    assert not ask(check, steps[-1], steps[0], in_time)


def test_silent_about_parts_of_the_model() -> None:
    idle = [step(n, (backward(n), clip(10 * n + 5, optimizers=(), akin=(1,))), gradient(n)) for n in range(1, 6)]
    assert not ask(check, idle[-1], *idle[:-1])
    expert = [step(n, (backward(n), clip(10 * n + 5)), gradient(n)) for n in range(1, 6)]
    assert not ask(check, expert[-1], *expert[:-1])


def test_silent_when_another_call_clips_what_the_step_uses() -> None:
    assert not ask(check, step(1, (clip(5), backward(1), clip(15, 1)), gradient(1)))
    assert not ask(check, step(1, (backward(1), clip(15, 1), clip(16, num_params=0, used_up=True)), gradient(1)))


def test_silent_when_the_call_only_measures_or_no_backward_follows() -> None:
    assert not ask(check, step(1, (clip(5, max_norm=float("inf")), backward(1)), gradient(1)))
    assert not ask(check, step(1, (clip(5),), gradient(present=False)))
