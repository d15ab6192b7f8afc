from surefoot.facts import CheckpointFacts, Site
from surefoot.rules.graph.checkpoint_drops_gradients import check
from tests.rules.graph.build import ask, step

SITE = Site("model.py", 20)


def test_fires_when_the_whole_block_got_nothing() -> None:
    (evidence,) = ask(check, [step(1, checkpoints=(CheckpointFacts(SITE, ("block.weight",), 2, 2),))])
    assert evidence.site == SITE and "block.weight" in evidence.message
    assert evidence.numbers == {"params": 2}


def test_silent_when_gradients_came_another_way_or_none_were_asked_for() -> None:
    for num_params, num_without in ((2, 0), (2, 1), (0, 0)):
        assert not ask(check, [step(1, checkpoints=(CheckpointFacts(SITE, (), num_params, num_without),))])
    assert not ask(check, [step(1, events=(), checkpoints=(CheckpointFacts(SITE, (), 2, 2),))])
    assert not ask(check, [step(1)])
