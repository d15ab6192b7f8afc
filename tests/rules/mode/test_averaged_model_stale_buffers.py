"""averaged-model-stale-buffers."""

from surefoot.facts import AveragedFacts, SetupFacts, Site
from surefoot.rules import History
from surefoot.rules.mode.averaged_model_stale_buffers import check

CALL = Site("train.py", 30)


def test_it_is_told_once_at_the_call() -> None:
    now = SetupFacts(at=5, averaged=(AveragedFacts("Net", "ema.0.weight", 3, 40, CALL),))
    (evidence,) = check.check(now, History([SetupFacts(at=1)]))
    assert evidence.site == CALL and "(3 layers) have not changed for 40 steps" in evidence.message
    assert not list(check.check(now, History([now])))
    assert not list(check.check(SetupFacts(at=5), History()))
