from surefoot.facts import GradcheckFacts, Site
from surefoot.rules.graph.wrong_custom_backward import check
from tests.rules.graph.build import ask, step

SITE = Site("ops.py", 12)


def test_fires_on_a_wrong_one() -> None:
    wrong = GradcheckFacts("Cube", "wrong", SITE, wrong_input=1, analytic=1.0, numeric=3.0, num_wrong=4, num_compared=5)
    (evidence,) = ask(check, [step(1, gradchecks=(wrong,))])
    assert evidence.site == SITE and evidence.level is None
    assert "Cube.backward" in evidence.message and "input 1" in evidence.message and "4 of 5" in evidence.message


def test_tells_by_a_note_what_was_not_checked() -> None:
    (evidence,) = ask(check, [step(1, gradchecks=(GradcheckFacts("Round", "unchecked", SITE, "its forward is flat"),))])
    assert evidence.level == "note" and "its forward is flat" in evidence.message


def test_silent_on_a_right_one() -> None:
    assert not ask(check, [step(1, gradchecks=(GradcheckFacts("Cube", "right", SITE, num_compared=5),))])
    assert not ask(check, [step(1)])
