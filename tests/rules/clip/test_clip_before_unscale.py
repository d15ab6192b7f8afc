from surefoot.rules.clip.clip_before_unscale import check
from tests.rules.clip.build import CLIP_LINE, clip
from tests.rules.grad.build import ask, backward, gradient, step


def test_fires_on_a_clip_of_scaled_gradients() -> None:
    now = step(1, (backward(1, scaled_by=1), clip(20, 1, scale=65536.0)), gradient(1))
    (evidence,) = ask(check, now)
    assert evidence.site is not None and evidence.site.line == CLIP_LINE
    assert "1.5e-05" in evidence.message
    assert evidence.numbers == {"max_norm": 1.0, "scale": 65536.0}


def test_silent_at_scale_one_and_for_calls_that_only_measure() -> None:
    assert not ask(check, step(1, (backward(1), clip(20, 1)), gradient(1)))
    for limit in (float("inf"), 1e9):
        assert not ask(check, step(1, (backward(1), clip(20, 1, scale=8.0, max_norm=limit)), gradient(1)))


def test_silent_about_another_optimizers_parameters() -> None:
    assert not ask(check, step(1, (backward(1), clip(20, 1, scale=8.0, optimizers=(2,))), gradient(1)))
