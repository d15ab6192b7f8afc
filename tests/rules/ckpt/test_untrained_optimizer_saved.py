"""untrained-optimizer-saved on hand-written facts."""

from surefoot.facts import EndFacts, Site, UntrainedSavedFacts
from surefoot.rules import History
from surefoot.rules.ckpt.untrained_optimizer_saved import check

MADE, SAVED, OTHER = Site("train.py", 5), Site("train.py", 30), Site("train.py", 12)


def test_names_both_optimizers() -> None:
    facts = UntrainedSavedFacts("Adam", MADE, SAVED, OTHER, num_params=4, num_steps=80)
    (found,) = check.check(EndFacts(1, untrained_saved=(facts,)), History())
    assert found.site == SAVED
    assert "line 5" in found.message and "line 12" in found.message and "80 steps" in found.message


def test_places_may_be_unknown() -> None:
    (found,) = check.check(EndFacts(1, untrained_saved=(UntrainedSavedFacts("Adam", saved=SAVED),)), History())
    assert "line" not in found.message


def test_an_old_state_is_told_as_such() -> None:
    facts = UntrainedSavedFacts("Adam", MADE, SAVED, MADE, num_params=4, num_steps=80, is_old=True)
    (found,) = check.check(EndFacts(1, untrained_saved=(facts,)), History())
    assert found.site == SAVED and "empty in what is saved, though it has taken 80 steps" in found.message


def test_silent_without_one() -> None:
    assert list(check.check(EndFacts(1), History())) == []
