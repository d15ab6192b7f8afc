"""Once per cause, and never a flood."""

from surefoot.alerts.limit import BURST, REST_SECONDS, SPACING_SECONDS, Limit


def test_the_same_cause_rests() -> None:
    limit = Limit()
    assert limit.allows("a", 1000.0)
    assert not limit.allows("a", 1000.0 + REST_SECONDS / 2)
    assert limit.allows("b", 1000.0 + REST_SECONDS / 2)
    assert limit.allows("a", 1000.0 + REST_SECONDS)
    assert limit.num_held == 1


def test_a_flood_is_held_back_and_counted() -> None:
    limit = Limit()
    told = [limit.allows(f"cause {i}", 5.0) for i in range(BURST + 3)]
    assert told == [True] * BURST + [False] * 3
    assert limit.held == {f"cause {BURST + i}": 1 for i in range(3)}
    assert limit.take_held() == 3
    assert limit.take_held() == 0
    assert not limit.allows("late", 5.0 + SPACING_SECONDS / 2)
    assert limit.allows("later", 5.0 + SPACING_SECONDS)
    assert not limit.allows("at once", 5.0 + SPACING_SECONDS)
    assert limit.num_held == 5


def test_a_clock_that_is_set_back_gives_nothing_away() -> None:
    limit = Limit()
    assert [limit.allows(str(i), 100.0 - i) for i in range(BURST + 1)] == [True] * BURST + [False]
