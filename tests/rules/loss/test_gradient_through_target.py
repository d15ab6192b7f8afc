"""gradient-through-target on hand-written facts."""

from dataclasses import replace

from surefoot.facts import LiveTargetFacts, Site, StepFacts
from surefoot.rules import History
from surefoot.rules.loss.gradient_through_target import check

STEP = StepFacts(at=9, index=8, optimizer=1, update=8, site=Site("train.py", 20))
TARGET = LiveTargetFacts("target", 8, 0.99, ("q.weight", "q.bias"), 2, Site("train.py", 12))


def test_a_target_is_told_with_its_discount_at_the_loss() -> None:
    (found,) = check.check(replace(STEP, live_targets=(TARGET,)), History())
    assert found.site == Site("train.py", 12)
    assert "… + 0.99 * prediction, carries a gradient to q.weight, q.bias: " in found.message
    assert "no_grad" in found.fix


def test_an_advantage_is_told_with_what_it_trains() -> None:
    advantage = replace(TARGET, kind="advantage", num_params=6, site=None)
    (found,) = check.check(replace(STEP, live_targets=(advantage,)), History())
    assert found.site == STEP.site
    assert "carries a gradient to q.weight, q.bias, …" in found.message and "detach" in found.fix


def test_silent_before_it_was_used_often() -> None:
    assert not list(check.check(replace(STEP, live_targets=(replace(TARGET, num_windows=7),)), History()))
    assert not list(check.check(STEP, History()))
