from surefoot.facts import GradientFacts, StepFacts
from surefoot.rules.loss.loss_detached_from_model import check
from tests.rules.loss.build import LOSS, ask, backward, lines, loss, step

NOTHING = (GradientFacts(("weight",), 2, present=False),)
CUT = loss("mse", "AccumulateGrad")


def cut_off(update: int, kind: str = "mse", **fields: object) -> StepFacts:
    fields.setdefault("gradients", NOTHING)
    return step(backward(loss(kind), update, reached=()), update=update, **fields)


def test_a_leaf_fires_at_once() -> None:
    assert lines(ask(check, cut_off(1, "leaf"))) == [LOSS]


def test_detached_tensors_fire_at_the_second_step() -> None:
    assert ask(check, cut_off(1)) == []
    assert lines(ask(check, cut_off(2), cut_off(1))) == [LOSS]


def test_is_silent_when_something_is_reached() -> None:
    reached = step(backward(CUT, 2), update=2)
    unowned = step(backward(CUT, 2, reached=(), num_unowned=3), update=2, gradients=NOTHING)
    for now in (reached, unowned):
        assert ask(check, now, cut_off(1)) == []


def test_is_silent_for_an_attack_before_the_real_backward() -> None:
    attack, real = backward(loss("leaf"), 2, reached=()), backward(CUT, 3)
    assert ask(check, step(attack, real, update=2), cut_off(1)) == []


def test_is_silent_for_other_ways_to_a_gradient() -> None:
    by_hand = (GradientFacts(("weight",), 2, by_hand=True),)
    for fields in (
        {"gradients": by_hand},
        {"skipped": True},
        {"inside_backward": True},
        {"inside_step": 2},
        {"gradients": ()},
    ):
        assert ask(check, cut_off(2, "leaf", **fields), cut_off(1)) == []
    assert ask(check, step(update=2, gradients=NOTHING), cut_off(1)) == []
