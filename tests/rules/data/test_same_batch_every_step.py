"""same-batch-every-step on hand-written facts."""

from surefoot.facts import EndFacts, SameBatchFacts, Site, StepFacts
from surefoot.rules.data.same_batch_every_step import check
from tests.rules.data.build import ask

TAKEN = Site("train.py", 9)


def test_fires_at_a_step_and_at_the_end() -> None:
    same = SameBatchFacts(1, TAKEN, length=8, num_steps=300)
    for now in (StepFacts(1, 1, 1, 1, same_batch=same), EndFacts(1, same_batch=same)):
        (found,) = ask(check, now)
        assert found.site == TAKEN and "300" in found.message and "overfitting" in found.fix


def test_tells_how_often_the_loader_was_started() -> None:
    (found,) = ask(check, EndFacts(1, same_batch=SameBatchFacts(1, TAKEN, 8, 12, num_taken=12)))
    assert "started anew 12 times" in found.message


def test_silent_without_such_a_batch() -> None:
    assert ask(check, EndFacts(1)) == [] and ask(check, StepFacts(1, 1, 1, 1)) == []
