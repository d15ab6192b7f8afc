import pytest

from surefoot.signals.rhythm import FIRST, RECORD_CREDIT, Rhythm, record_rhythm, sample_rhythm


def test_the_first_ones_are_not_spaced() -> None:
    rhythm = Rhythm(0.01)
    for _ in range(FIRST - 1):
        assert rhythm.due == 0.0
        rhythm.spent(1.0, 100.0)
    rhythm.spent(1.0, 100.0)
    assert rhythm.due == pytest.approx(200.0)  # a second is one per cent of the next hundred


def test_a_share_of_one_measures_every_step_and_none_nothing() -> None:
    for rhythm in (sample_rhythm(1.0), record_rhythm(1.0)):
        for _ in range(2 * FIRST):
            rhythm.spent(1.0, 100.0)
        assert rhythm.due == 0.0
    assert sample_rhythm(0.0).due == float("inf")


def test_records_thin_out_with_the_age_of_the_run() -> None:
    rhythm = Rhythm(0.5, thins_out=True)
    now = rhythm._begun + 2000.0
    for _ in range(FIRST):
        rhythm.spent(0.001, now)
    assert rhythm.due - now == pytest.approx(10.0)


def test_a_short_run_is_seen_whole() -> None:
    rhythm = record_rhythm(0.02)
    for _ in range(FIRST - 1):
        rhythm.spent(1.0, 100.0)  # the first ones, which make caches, are free
    for _ in range(7):
        rhythm.spent(RECORD_CREDIT / 8, 100.0)
        assert rhythm.due == 0.0
    rhythm.spent(RECORD_CREDIT / 8, 100.0)
    rhythm.spent(RECORD_CREDIT / 8, 100.0)
    assert rhythm.due > 100.0


def test_waiting_for_a_busy_machine_is_not_taken_off_the_credit() -> None:
    quiet, busy = (Rhythm(0.01, num_first=1, credit=0.5) for _ in range(2))
    for _ in range(3):
        quiet.spent(0.2, 10.0)
        busy.spent(0.2, 10.0, ran=0.5)
    assert quiet.due > 10.0 and busy.due == 0.0


def test_what_is_read_later_puts_off_the_next_one_as_much() -> None:
    at_once, later, always = Rhythm(0.01, num_first=1), Rhythm(0.01, num_first=1), Rhythm(1.0, always=True)
    at_once.spent(0.5, 100.0)
    later.spent(0.2, 100.0)
    later.spent_later(0.3, 100.0)
    assert later.due == pytest.approx(at_once.due)
    always.spent(0.2, 100.0)
    always.spent_later(0.3, 100.0)
    assert always.due == 0.0


def test_who_is_told_to_hurry_measures_every_step_for_a_while() -> None:
    rhythm = Rhythm(0.01, num_first=0)
    rhythm.spent(1.0, 100.0)
    assert rhythm.due == pytest.approx(200.0)
    rhythm.hurry(0.5)
    assert rhythm.due == 0.0
    rhythm.spent(0.3, 101.0)
    assert rhythm.due == 0.0
    rhythm.spent(0.3, 102.0)
    assert rhythm.due == pytest.approx(132.0)
    never = sample_rhythm(0.0)
    never.hurry(1.0)
    assert never.due == float("inf")
