"""uninitialised-parameter."""

from surefoot.facts import SetupFacts, UninitialisedFacts
from surefoot.rules.optim.uninitialised_parameter import check
from tests.rules.optim.build import MADE, ask

ONE = UninitialisedFacts("attention.w", (3, 4), "empty", MADE)


def test_it_is_told_once_where_it_is_made() -> None:
    now = SetupFacts(at=3, uninitialised=(ONE,))
    (evidence,) = ask(check, now, SetupFacts(at=1))
    assert evidence.site == MADE and "attention.w (3, 4) is made by empty()" in evidence.message
    assert not ask(check, now, now)
    assert not ask(check, SetupFacts(at=3))
