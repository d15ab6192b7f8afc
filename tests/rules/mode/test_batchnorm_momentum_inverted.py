"""batchnorm-momentum-inverted."""

from surefoot.facts import MomentumFacts, SetupFacts, Site
from surefoot.rules import History
from surefoot.rules.mode.batchnorm_momentum_inverted import check

MADE = Site("model.py", 3)


def test_it_is_told_once_where_the_layer_is_made() -> None:
    now = SetupFacts(at=5, momentum=MomentumFacts("norm", 0.99, num_layers=3, num_batches=40, site=MADE))
    (evidence,) = check.check(now, History([SetupFacts(at=1)]))
    assert evidence.site == MADE and "99 %" in evidence.message and "norm and 2 more" in evidence.message
    assert "write 0.01;" in evidence.fix
    assert not list(check.check(now, History([now])))


def test_silent() -> None:
    assert not list(check.check(SetupFacts(at=5), History()))
