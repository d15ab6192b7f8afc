"""learning-rate-rises-again on hand-written facts."""

import pytest

from surefoot.rules.sched.learning_rate_rises_again import check
from tests.rules.sched.build import ADVANCED, ask, at_end, at_step, schedule


def test_t_max_too_small() -> None:
    found = ask(check, at_step(schedule("CosineAnnealingLR", ("T_max", 30.0), length=30, past_minimum=10)))
    assert [f.site for f in found] == [ADVANCED]
    assert "after 30 advances" in found[0].message and "set T_max" in found[0].fix


def test_t_max_in_epochs() -> None:
    epochs = {"most_in_epoch": 10, "epoch_length": 10, "epochs": 1, "in_epochs": 8}
    facts = schedule("CosineAnnealingLR", ("T_max", 5.0), length=5, count=8, past_minimum=3, **epochs)
    assert ["once per epoch" in f.fix for f in ask(check, at_end(facts))] == [True]


@pytest.mark.parametrize(
    ("t_max", "past", "fires"), [(40, 0, 0), (40, 1, 0), (100, 4, 0), (5, 1, 0), (5, 2, 1), (30, 3, 1)]
)
def test_a_few_advances_too_many_are_no_rise(t_max: int, past: int, fires: int) -> None:
    facts = schedule("CosineAnnealingLR", length=t_max, position=t_max + past, past_minimum=past)
    assert len(ask(check, at_end(facts))) == fires


def test_silent_when_micro_batches_advance_it() -> None:
    windows = {"micro_batch_windows": 9, "per_window": 4, "updates": 10}
    assert ask(check, at_end(schedule("CosineAnnealingLR", length=10, past_minimum=30, **windows))) == []
