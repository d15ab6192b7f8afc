from dataclasses import replace

import pytest

from surefoot.facts import EndFacts, OptimizerFacts, SetupFacts, Site, UntrainedFacts
from surefoot.rules.graph.graph_cut import check
from surefoot.rules.graph.unused_parameters import check as unused_parameters
from tests.rules.graph.build import ask, step

CUT = UntrainedFacts(
    optimizer=1, num_steps=3, params=("encoder.weight", "encoder.bias"), num_params=2, num_trained=2, fate="cut",
    cut_by="detach", site=Site("model.py", 7),
)  # fmt: skip


def at_end(fact: UntrainedFacts) -> EndFacts:
    return EndFacts(at=99, num_steps=fact.num_steps, untrained=(fact,))


def test_fires_at_the_end_of_the_run() -> None:
    (evidence,) = ask(check, [at_end(CUT)])
    assert evidence.site == CUT.site
    assert "encoder.weight" in evidence.message and "detach()" in evidence.message
    assert not ask(check, [at_end(replace(CUT, num_steps=2))])


def test_fires_in_a_long_run_before_its_end() -> None:
    assert ask(check, [step(200, untrained=(replace(CUT, num_steps=200),))])
    assert not ask(check, [step(199, untrained=(replace(CUT, num_steps=199),))])


CHANGES: list[dict[str, object]] = [
    {"conditional": True}, {"moved": True}, {"fate": "dead-end"}, {"cut_by": "argmax"}, {"cut_by": "checkpoint"},
    {"num_trained": 0},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_silent_where_it_may_be_meant(change: dict[str, object]) -> None:
    assert not ask(check, [at_end(replace(CUT, **change))])  # type: ignore[arg-type]


def test_unused_parameters_are_told_at_the_optimizer() -> None:
    made = Site("train.py", 4)
    setup = SetupFacts(at=0, optimizers=(OptimizerFacts(1, "SGD", site=made),))
    for fate, words in (("unused", "no forward uses them"), ("dead-end", "never enters a loss")):
        (evidence,) = ask(unused_parameters, [setup, at_end(replace(CUT, fate=fate))])
        assert evidence.site == made and words in evidence.message


def test_parameters_of_unknown_fate_are_not_told() -> None:
    for change in (
        {"fate": ""},
        {"fate": "cut"},
        {"fate": "unused", "moved": True},
        {"fate": "unused", "num_steps": 2},
    ):
        assert not ask(unused_parameters, [at_end(replace(CUT, **change))])  # type: ignore[arg-type]
