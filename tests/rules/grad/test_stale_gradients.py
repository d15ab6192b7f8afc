from surefoot.facts import StalenessFacts
from surefoot.rules.grad.stale_gradients import check
from tests.rules.grad.build import LINE, ask, backward, gradient, step


def test_fires_on_gradients_used_before() -> None:
    now = step(2, (backward(2),), gradient(1, 2, used_by=(1,)), staleness=StalenessFacts(1.5, 0.9))
    (evidence,) = ask(check, now)
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    assert evidence.numbers == {
        "stale_params": 2, "params": 2, "first_used_at_step": 1, "length_ratio": 1.5, "cosine": 0.9,
    }  # fmt: skip


def test_fires_when_only_some_parameters_were_cleared() -> None:
    now = step(2, (backward(2),), gradient(2), gradient(1, 2, used_by=(1,)))
    assert "2 of 4" in ask(check, now)[0].message


def test_silent_when_cleared_shared_nested_or_by_hand() -> None:
    assert not ask(check, step(2, (backward(2),), gradient(2)))
    assert not ask(check, step(2, (backward(2),), gradient(2, used_by_others=(1,))))
    assert not ask(check, step(2, (backward(2),), gradient(1, 2, used_by=(1,)), inside_step=7))
    assert not ask(check, step(2, (backward(2),), gradient(1, 2, used_by=(1,), by_hand=True)))
    assert not ask(check, step(2, (backward(2),), gradient(1, 2, used_by=(1,), present=False)))


def test_a_second_step_without_backward_is_another_rules_business() -> None:
    assert not ask(check, step(2, (), gradient(1, used_by=(1,))))
