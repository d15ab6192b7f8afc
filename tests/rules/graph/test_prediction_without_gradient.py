from dataclasses import replace

from surefoot.facts import DeadTermFacts, Site, StepFacts
from surefoot.rules import History
from surefoot.rules.graph import loss_term_without_gradient
from surefoot.rules.graph.prediction_without_gradient import check

STEP = StepFacts(at=9, index=4, optimizer=1, update=4, site=Site("train.py", 20))
TERM = DeadTermFacts("no_grad", Site("train.py", 12), (0.5, 0.25, 0.125), is_of_prediction=True)


def test_what_went_through_a_module_is_told_by_this_rule_alone() -> None:
    now = replace(STEP, dead_terms=(TERM,))
    (evidence,) = check.check(now, History())
    assert evidence.site == Site("train.py", 12)
    assert "(on average 0.5, 0.25, 0.125 in 3 steps)" in evidence.message
    assert list(loss_term_without_gradient.check.check(now, History())) == []


def test_silent_about_other_terms() -> None:
    assert list(check.check(STEP, History())) == []
    assert list(check.check(replace(STEP, dead_terms=(replace(TERM, is_of_prediction=False),)), History())) == []
