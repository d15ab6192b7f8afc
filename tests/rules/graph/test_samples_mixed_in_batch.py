from dataclasses import replace

from surefoot.facts import BackwardFacts, LossFacts, MixedFacts, Site, StepFacts
from surefoot.rules import History
from surefoot.rules.graph.samples_mixed_in_batch import check

LOSS = Site("train.py", 10, "<module>")
VIEW = MixedFacts(LOSS, "mse", "view", 1, (0, 4, 8), 3, (12, 3, 8), (3, 12, 8))


def step(mixed: MixedFacts, loss: Site = LOSS) -> StepFacts:
    backward = BackwardFacts(1, 1, loss, LossFacts(kind="mse", site=loss))
    return StepFacts(100, 1, 1, 1, events=(backward,), mixed=(mixed,))


def test_a_view() -> None:
    (evidence,) = check.check(step(VIEW), History())
    assert evidence.site == LOSS
    assert evidence.message == (
        "the prediction of sample 1 is computed from samples 0, 4, 8 of its batch: a tensor of shape (12, 3, 8) "
        "is viewed as (3, 12, 8), which does not swap dimensions"
    )
    (evidence,) = check.check(step(replace(VIEW, num_others=9)), History())
    assert "samples 0, 4, 8, …" in evidence.message


def test_the_batch_taken_for_time() -> None:
    (evidence,) = check.check(step(replace(VIEW, cause="time", after=(12, 5, 8))), History())
    assert "it has 12 steps and a batch of 5" in evidence.message
    assert "batch_first=True" in evidence.fix


def test_a_loss_that_is_not_backwarded_is_silent() -> None:
    assert list(check.check(step(VIEW, loss=Site("train.py", 99, "<module>")), History())) == []
