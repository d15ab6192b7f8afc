from collections.abc import Sequence

from surefoot.facts import GraphFacts, StepFacts
from surefoot.rules.graph.graph_grows_each_step import check
from tests.rules.graph.build import BACKWARD, ask, step


def run(spanned: Sequence[int | None]) -> list[StepFacts]:
    return [step(i + 1, graph=GraphFacts(num_nodes=10, num_spanned_steps=earlier)) for i, earlier in enumerate(spanned)]


def test_fires_when_every_step_adds_its_own() -> None:
    (evidence,) = ask(check, run([0, 1, 2, 3, 4, 5]))
    assert evidence.site == BACKWARD
    assert evidence.numbers == {"steps_in_graph": 5, "nodes": 10}


def test_steps_not_looked_at_do_not_hide_it() -> None:
    assert ask(check, run([0, 1, None, 3, 4, None, 6, None, 8]))


def test_silent_on_bounded_shared_or_young_graphs() -> None:
    assert not ask(check, run([0, 1, 2, 3, 4]))
    assert not ask(check, run([0] * 8))
    assert not ask(check, run([1] * 8))
    assert not ask(check, run([3, 4, 5, 5, 5, 5]))
    assert not ask(check, run([0, 1, 2, 3, 4, None]))
    assert not ask(check, [*run([0, 1, 2, 3, 4]), step(6, events=(), graph=GraphFacts(num_spanned_steps=5))])
