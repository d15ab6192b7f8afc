from dataclasses import replace

from surefoot.facts import DeadTermFacts, Site, StepFacts
from surefoot.rules import History
from surefoot.rules.graph.loss_term_without_gradient import check

STEP = StepFacts(at=9, index=4, optimizer=1, update=4, site=Site("train.py", 20))
TERM = DeadTermFacts("no_grad", Site("train.py", 12), (0.5, 0.25, 0.125))


def test_a_term_is_told_where_its_gradient_ends_with_its_values() -> None:
    (evidence,) = check.check(replace(STEP, dead_terms=(TERM,)), History())
    assert evidence.site == Site("train.py", 12)
    assert "(0.5, 0.25, 0.125 in 3 steps)" in evidence.message and evidence.message.endswith("under no_grad()")
    (other,) = check.check(replace(STEP, dead_terms=(replace(TERM, cut_by="argmax", site=None),)), History())
    assert other.site == Site("train.py", 20) and other.message.endswith("in argmax, which has none")


def test_silent_without_one() -> None:
    assert list(check.check(STEP, History())) == []
