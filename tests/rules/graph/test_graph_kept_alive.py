from dataclasses import replace

from surefoot.facts import GraphFacts, KeptGraphFacts, Site
from surefoot.rules.graph.graph_kept_alive import check
from tests.rules.graph.build import BACKWARD, ask, step

KEEPER = Site("train.py", 13)
KEPT = KeptGraphFacts(BACKWARD, num_steps=3, num_in_a_row=3, site=KEEPER)


def test_fires_at_the_statement_that_keeps_losses() -> None:
    (evidence,) = ask(check, [step(4, graph=GraphFacts(kept=(KEPT,)))])
    assert evidence.site == KEEPER
    assert "losses of 3 earlier steps" in evidence.message and "line 13" in evidence.message


def test_fires_on_losses_kept_now_and_then() -> None:
    rare = replace(KEPT, num_steps=4, num_in_a_row=1)
    assert ask(check, [step(80, graph=GraphFacts(kept=(rare,)))])
    assert not ask(check, [step(80, graph=GraphFacts(kept=(replace(rare, num_steps=3),)))])


def test_asks_for_many_where_no_statement_explains_it() -> None:
    unseen = replace(KEPT, site=None, num_steps=16, num_in_a_row=16)
    (evidence,) = ask(check, [step(17, graph=GraphFacts(kept=(unseen,)))])
    assert evidence.site == BACKWARD
    assert not ask(check, [step(17, graph=GraphFacts(kept=(replace(unseen, num_in_a_row=15),)))])


def test_tells_parts_from_losses() -> None:
    (evidence,) = ask(check, [step(4, graph=GraphFacts(kept=(replace(KEPT, whole=False),)))])
    assert evidence.message.startswith("values that went into losses")


def test_silent_on_few_on_a_bounded_holder_and_on_a_growing_graph() -> None:
    assert not ask(check, [step(4)])
    assert not ask(check, [step(4, graph=GraphFacts(kept=(replace(KEPT, num_in_a_row=2),)))])
    assert not ask(check, [step(4, graph=GraphFacts(kept=(replace(KEPT, bounded=True),)))])
    assert not ask(check, [step(4, graph=GraphFacts(num_spanned_steps=3, kept=(KEPT,)))])
