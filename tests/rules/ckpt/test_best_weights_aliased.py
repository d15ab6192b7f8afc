"""best-weights-aliased on hand-written facts."""

from surefoot.facts import AliasFacts, SetupFacts, Site
from surefoot.rules import Evidence, History
from surefoot.rules.ckpt.best_weights_aliased import check

TAKEN, USED = Site("train.py", 7), Site("train.py", 20)


def ask(*aliases: AliasFacts) -> list[Evidence]:
    return list(check.check(SetupFacts(at=1, aliases=aliases), History()))


def test_fires_where_it_was_taken_and_tells_what_came_of_it() -> None:
    messages = []
    for use in ("load", "elsewhere", "save"):
        (found,) = ask(AliasFacts("Net", TAKEN, USED, use, num_before=10, num_between=30))
        assert found.site == TAKEN and "30 steps" in found.message
        messages.append(found.message)
    assert len(set(messages)) == 3


def test_weights_taken_before_training_are_a_mistake_only_if_loaded_back() -> None:
    assert len(ask(AliasFacts("Net", TAKEN, USED, "load", num_before=0, num_between=30))) == 1
    assert ask(AliasFacts("Net", TAKEN, USED, "save", num_before=0, num_between=30)) == []
    assert ask(AliasFacts("Net", TAKEN, USED, "elsewhere", num_before=0, num_between=30)) == []
    assert ask() == []


def test_weights_that_were_overwritten() -> None:
    (found,) = ask(AliasFacts("Net", TAKEN, USED, "load", num_before=5, is_overwritten=True))
    assert "given other weights" in found.message
    assert ask(AliasFacts("Net", TAKEN, USED, "save", num_before=5, is_overwritten=True)) == []


def test_weights_that_are_still_the_best_by_chance() -> None:
    (found,) = ask(AliasFacts("Net", TAKEN, USED, "load", num_before=5))
    assert "not been trained since, only by chance" in found.message
