"""negative-learning-rate."""

from surefoot.facts import SchedulerFacts, StepFacts
from surefoot.rules.optim.negative_learning_rate import check
from tests.rules.optim.build import ELSEWHERE, MADE, STEPPED, ask, optimizer, setup, step


def rates(*lrs: float, **facts: object) -> list[StepFacts]:
    return [step(i, lrs=(0.1, lr), **facts) for i, lr in enumerate(lrs, 1)]


def test_a_rate_that_falls_below_zero() -> None:
    *past, now = rates(0.1, 0.05, 0.0, -0.05001)
    (evidence,) = ask(check, now, setup(), *past)
    assert evidence.site == STEPPED and "group 1 is -0.05" in evidence.message
    scheduled = setup(schedulers=(SchedulerFacts(1, "LambdaLR", 1, ELSEWHERE),))
    (evidence,) = ask(check, now, scheduled, *past)
    assert evidence.site == ELSEWHERE
    both = setup(schedulers=tuple(SchedulerFacts(i, "LambdaLR", 1, site) for i, site in enumerate((ELSEWHERE, MADE))))
    (evidence,) = ask(check, now, both, *past)
    assert evidence.site == STEPPED


def test_silent() -> None:
    *past, now = rates(0.1, 0.05, 0.0)
    assert not ask(check, now, setup(), *past)
    *past, now = rates(-0.1, -0.2)  # uphill from the start
    assert not ask(check, now, setup(), *past)
    *past, now = rates(0.1, 0.1, -0.1)  # and down again
    assert not ask(check, now, setup(), *past)
    *past, now = rates(0.1, 0.05, -1e-18)  # as good as 0
    assert not ask(check, now, setup(), *past)
    *past, now = rates(0.1, -0.03, skipped=True)
    assert not ask(check, now, setup(), *past)
    *past, now = rates(0.1, -0.03)
    assert not ask(check, now, setup(optimizers=(optimizer(builtin=False),)), *past)
