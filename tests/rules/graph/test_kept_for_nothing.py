"""needless-retain-graph and create-graph-left-on."""

from typing import Any

import pytest

from surefoot.facts import BackwardFacts, GraphFacts
from surefoot.rules import Rule
from surefoot.rules.graph.create_graph_left_on import check as create_graph_left_on
from surefoot.rules.graph.needless_retain_graph import check as needless_retain_graph
from tests.rules.graph.build import BACKWARD, ask, step

UNUSED = GraphFacts(reused=False)
CASES = [(needless_retain_graph, 8, {"retain": True}), (create_graph_left_on, 4, {"create": True})]


@pytest.mark.parametrize(("rule", "steps", "how"), CASES)
def test_fires_after_enough_steps(rule: Rule, steps: int, how: dict[str, Any]) -> None:
    run = [step(i, graph=UNUSED, **how) for i in range(1, steps + 1)]
    (evidence,) = ask(rule, run)
    assert evidence.site == BACKWARD
    assert evidence.numbers == {"steps": steps}
    assert not ask(rule, run[1:])


@pytest.mark.parametrize(("rule", "steps", "how"), CASES)
def test_silent_when_something_uses_the_graph(rule: Rule, steps: int, how: dict[str, Any]) -> None:
    run = [step(i, graph=UNUSED, **how) for i in range(1, steps + 1)]
    for other in (
        step(steps, graph=GraphFacts(reused=True), **how),
        step(steps, graph=GraphFacts(reused=None), **how),
        step(steps, graph=GraphFacts(reused=False, num_grad_calls=1), **how),
        step(steps, graph=UNUSED, closure=True, **how),
        step(steps, graph=UNUSED),
    ):
        assert not ask(rule, [*run[:-1], other])
        assert not ask(rule, [*run[:1], other, *run[2:]])


def test_a_second_backward_may_use_the_first_ones_graph() -> None:
    first = BackwardFacts(1, 1, BACKWARD, retain_graph=True, create_graph=True)
    second = BackwardFacts(2, 2, BACKWARD)
    assert not ask(create_graph_left_on, [step(i, graph=UNUSED, events=(first, second)) for i in range(1, 9)])


def test_an_optimizer_of_the_users_own_gets_more_time() -> None:
    own = GraphFacts(reused=False, own_optimizer=True)
    assert not ask(create_graph_left_on, [step(i, create=True, graph=own) for i in range(1, 32)])
    assert ask(create_graph_left_on, [step(i, create=True, graph=own) for i in range(1, 33)])
