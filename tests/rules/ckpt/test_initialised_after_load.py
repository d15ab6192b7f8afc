"""initialised-after-load on hand-written facts."""

from surefoot.facts import OverwrittenFacts, SetupFacts, Site
from surefoot.rules import History
from surefoot.rules.ckpt.initialised_after_load import check

LOADED, RESET = Site("train.py", 5), Site("train.py", 9)


def test_fires_where_it_is_initialised() -> None:
    facts = OverwrittenFacts("Net", LOADED, RESET, 12)
    (found,) = check.check(SetupFacts(1, overwritten=(facts,)), History())
    assert found.site == RESET and "Net at line 5" in found.message and "all 12" in found.message


def test_silent_without_one() -> None:
    assert list(check.check(SetupFacts(1), History())) == []
