from surefoot.facts import DirectForwardFacts, Site
from surefoot.rules.graph.forward_called_directly import check
from tests.rules.graph.build import ask, step

SITE = Site("train.py", 9)


def test_fires_at_the_call() -> None:
    (evidence,) = ask(check, [step(1, direct_forwards=(DirectForwardFacts(SITE, "Net"),))])
    assert evidence.site == SITE and evidence.message.startswith("Net.forward()")
    assert "hooks" not in evidence.message


def test_names_the_hooks_that_were_bypassed() -> None:
    (evidence,) = ask(check, [step(1, direct_forwards=(DirectForwardFacts(SITE, "Net", ("SpectralNorm",)),))])
    assert "1 hooks (SpectralNorm)" in evidence.message


def test_silent_without_training() -> None:
    assert not ask(check, [step(1)])
    assert not ask(check, [step(1, events=(), direct_forwards=(DirectForwardFacts(SITE, "Net"),))])
