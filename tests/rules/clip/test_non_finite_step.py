from surefoot.facts import EndFacts, NonFiniteFacts
from surefoot.rules.clip.non_finite_step import check
from tests.rules.grad.build import LINE, ask, backward, gradient, step

BAD = NonFiniteFacts(
    optimizer=1, num_bad=2, num_checked=4, first_bad="1.bias", last_good="2.weight", has_nan=True, finite_at=6
)


def test_fires_at_the_step_and_names_the_first_bad_parameter() -> None:
    (evidence,) = ask(check, step(7, (backward(1),), gradient(1), non_finite=BAD))
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    for part in ("NaN", "2 of 4", "1.bias", "2.weight", "step 6"):
        assert part in evidence.message


def test_fires_at_the_end_at_the_line_of_the_last_step() -> None:
    weights = NonFiniteFacts(where="weights", optimizer=1, num_bad=1, num_checked=2, first_bad="weight", has_inf=True)
    (evidence,) = ask(check, EndFacts(at=9, non_finite=(weights,)), step(1, (backward(1),), gradient(1)))
    assert evidence.site is not None and evidence.site.line == LINE["step"]
    assert "weights" in evidence.message and "Inf" in evidence.message


def test_silent_when_finite_or_skipped() -> None:
    assert not ask(check, step(1, (backward(1),), gradient(1)))
    assert not ask(check, step(1, (backward(1),), gradient(1), non_finite=BAD, skipped=True))
    assert not ask(check, EndFacts(at=9))
