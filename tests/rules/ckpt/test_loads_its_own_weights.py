"""loads-its-own-weights on hand-written facts."""

from surefoot.facts import AliasFacts, EndFacts, SelfLoadFacts, SetupFacts, Site
from surefoot.rules import Evidence, History
from surefoot.rules.ckpt.loads_its_own_weights import check

TAKEN, LOADED = Site("train.py", 5), Site("train.py", 9)


def ask(*found: SelfLoadFacts) -> list[Evidence]:
    return list(check.check(SetupFacts(1, self_loads=found), History()))


def test_fires_where_it_is_loaded() -> None:
    (found,) = ask(SelfLoadFacts("Net", LOADED, LOADED))
    assert found.site == LOADED and "that Net loads are its own" in found.message
    (found,) = ask(SelfLoadFacts("Net", LOADED, LOADED, same_module=False))
    assert "shares all its parameters" in found.message and "line" not in found.message


def test_a_dict_that_was_kept_is_judged_in_the_end() -> None:
    kept = SelfLoadFacts("Net", LOADED, TAKEN)
    assert ask(kept) == []
    (found,) = check.check(EndFacts(9), History([SetupFacts(1, self_loads=(kept,))]))
    assert "taken at line 5" in found.message
    aliased = SetupFacts(1, self_loads=(kept,), aliases=(AliasFacts("Net", TAKEN, LOADED),))
    assert list(check.check(EndFacts(9), History([aliased]))) == []


def test_silent_without_one() -> None:
    assert ask() == []
