"""dropout-lost."""

from surefoot.facts import LostDropoutFacts, SetupFacts, Site
from surefoot.rules import History
from surefoot.rules.mode.dropout_lost import check

OFF = Site("train.py", 20)


def test_it_is_told_once_where_it_was_switched_off() -> None:
    now = SetupFacts(at=5, lost_dropout=LostDropoutFacts("Encoder", 2, 8, OFF))
    (evidence,) = check.check(now, History([SetupFacts(at=1)]))
    assert evidence.site == OFF and "in Encoder, layers: 2" in evidence.message
    assert not list(check.check(now, History([now])))
    assert not list(check.check(SetupFacts(at=5), History()))
