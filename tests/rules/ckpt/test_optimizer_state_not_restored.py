"""optimizer-state-not-restored on hand-written facts."""

from dataclasses import replace

import pytest

from surefoot.facts import OptimizerFacts, SetupFacts, Site, StepFacts, UnrestoredFacts
from surefoot.rules import Evidence, History
from surefoot.rules.ckpt.optimizer_state_not_restored import check

LOADED = Site("train.py", 7)
FOUND = UnrestoredFacts("last.pt", LOADED, 12, same_params=True, same_settings=True, same_rate=True)


def ask(found: UnrestoredFacts | None) -> list[Evidence]:
    return list(check.check(StepFacts(1, 1, 1, 1, unrestored=found), History()))


def test_fires_where_the_weights_were_loaded() -> None:
    (found,) = ask(FOUND)
    assert found.site == LOADED and "last.pt" in found.message and "12 parameters" in found.message


def test_fires_where_the_optimizer_was_made_if_another_one_has_its_state() -> None:
    made = Site("train.py", 9)
    setup = SetupFacts(at=0, optimizers=(OptimizerFacts(1, kind="Adam", site=made),))
    history = History()
    history.setup = setup
    step = StepFacts(1, 1, 1, 1, unrestored=replace(FOUND, taken=Site("train.py", 8)))
    (found,) = check.check(step, history)
    assert found.site == made and "another optimizer has taken that state at line 8" in found.message


@pytest.mark.parametrize("differs", ["same_params", "same_settings", "same_rate"])
def test_silent_when_the_optimizer_is_another_one(differs: str) -> None:
    assert ask(replace(FOUND, **{differs: False})) == []
    assert ask(None) == []
