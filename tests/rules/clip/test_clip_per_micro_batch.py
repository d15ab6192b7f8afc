from surefoot.rules.clip.clip_per_micro_batch import check
from tests.rules.clip.build import CLIP_LINE, clip
from tests.rules.grad.build import ask, backward, clear, gradient, step


def test_fires_when_the_running_sum_is_clipped_after_each_micro_batch() -> None:
    events = (backward(1), clip(15, 1), backward(2), clip(25, 1, 2), backward(3), clip(35, 1, 2, 3))
    (evidence,) = ask(check, step(1, events, gradient(1, 2, 3)))
    assert evidence.site is not None and evidence.site.line == CLIP_LINE
    assert evidence.numbers["micro_batches"] == 3


def test_silent_when_clipped_once_or_measured() -> None:
    assert not ask(check, step(1, (backward(1), backward(2), clip(25, 1, 2)), gradient(1, 2)))
    inf = float("inf")
    events = (backward(1), clip(15, 1, max_norm=inf), backward(2), clip(25, 1, 2, max_norm=inf))
    assert not ask(check, step(1, events, gradient(1, 2)))


def test_silent_about_several_losses_and_per_sample_clipping() -> None:
    events = (backward(1), clip(15, 1), backward(2, line=40), clip(25, 1, 2))
    assert not ask(check, step(1, events, gradient(1, 2)))
    kept = (backward(1, retain_graph=True), clip(15, 1), backward(2), clip(25, 1, 2))
    assert not ask(check, step(1, kept, gradient(1, 2)))
    cleared = (backward(1), clip(15, 1), clear(16), backward(2), clip(25, 2))
    assert not ask(check, step(1, cleared, gradient(2, discarded=(1,))))
    assert not ask(check, step(1, cleared, gradient(by_hand=True)))


def test_silent_when_parts_are_clipped_apart_once() -> None:
    events = (backward(1), backward(2), clip(25, 1, 2), clip(26, 1, 2))
    assert not ask(check, step(1, events, gradient(1, 2)))
