"""A measurement takes no more than its share of the time, after the first times."""

from time import perf_counter

from surefoot.watch.half.budget import Budget


def test_the_first_times_are_never_spaced() -> None:
    budget = Budget(0.02, first=3)
    for _ in range(3):
        assert budget.is_due()
        budget.spent(perf_counter() - 10.0)
    assert not budget.is_due()


def test_then_the_share_decides() -> None:
    budget = Budget(0.5, first=0)
    assert budget.is_due()
    budget.spent(perf_counter() - 100.0)
    assert not budget.is_due()
    budget._next -= 201.0  # half the time: 200 s must pass, and a little for this test itself
    assert budget.is_due()


def test_no_share_no_measurement() -> None:
    assert not Budget(0.0, first=0).is_due()
