"""module-repeated."""

from dataclasses import replace

from surefoot.facts import RepeatedFacts
from surefoot.rules.optim.module_repeated import check
from tests.rules.optim.build import MADE, STEPPED, ask, setup, step

STACK = RepeatedFacts("ModuleList", "Block", 6, 120, num_in_chain=6, optimizers=(1,), site=MADE)


def test_it_is_told_where_the_stack_is_made() -> None:
    (evidence,) = ask(check, step(1), setup(repeated=(STACK,)))
    assert evidence.site == MADE and "one Block object in 6 slots" in evidence.message
    (evidence,) = ask(check, step(1), setup(repeated=(replace(STACK, site=None),)))
    assert evidence.site == STEPPED


def test_silent() -> None:
    assert not ask(check, step(1), setup())
    assert not ask(check, step(1), setup(repeated=(replace(STACK, is_declared=True),)))
    assert not ask(check, step(1, optimizer=2), setup(repeated=(STACK,)))
