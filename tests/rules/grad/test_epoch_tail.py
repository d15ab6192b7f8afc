"""window-lost-at-epoch-end and window-carried-over-epoch."""

from typing import Any

from surefoot.facts import EndFacts, EpochEdgeFacts
from surefoot.rules.grad import window_carried_over_epoch, window_lost_at_epoch_end
from tests.rules.grad.build import LINE, ask, backward, clear, gradient, step


def edge(at: int, which: str, loader: int = 1) -> EpochEdgeFacts:
    return EpochEdgeFacts(at, loader, which, epoch=1)


def full(update: int) -> Any:
    first = 10 * update
    return step(update, tuple(backward(first + i) for i in range(4)), gradient(*range(first, first + 4)))


def lost(update: int, *, edges: bool) -> Any:
    first = 10 * update
    tail = (backward(first, at=1), backward(first + 1, at=2))
    edges_between = (edge(3, "end"), edge(5, "start")) if edges else ()
    window = tuple(backward(first + 2 + i, at=10 + i) for i in range(4))
    used = gradient(*(b.ordinal for b in window), discarded=(first, first + 1), cleared_by=4)
    return step(update, (*tail, *edges_between, clear(4), *window), used)


def test_a_tail_cleared_at_the_epoch_edge_fires() -> None:
    (evidence,) = ask(window_lost_at_epoch_end.check, lost(3, edges=True), full(1), full(2))
    assert evidence.numbers == {"micro_batches_lost": 2, "window": 4, "items_lost": 16}
    assert evidence.site is not None and evidence.site.line == LINE["zero_grad"]


def test_without_a_loader_it_must_be_regular() -> None:
    check = window_lost_at_epoch_end.check
    assert not ask(check, lost(3, edges=False), full(1), full(2))
    assert ask(check, lost(5, edges=False), full(1), full(2), lost(3, edges=False), full(4))
    assert not ask(check, lost(6, edges=False), full(1), full(2), lost(3, edges=False), full(4), full(5))


def test_a_tail_left_at_the_end_of_the_run_fires_if_the_loader_ran_out() -> None:
    check = window_lost_at_epoch_end.check
    tail = (backward(90, at=1), backward(91, at=2))
    ran_out = EndFacts(99, pending=(90, 91), tail=(*tail, edge(3, "end")))
    assert ask(check, ran_out, full(1), full(2))
    assert not ask(check, EndFacts(99, pending=(90, 91), tail=tail), full(1), full(2))
    assert not ask(check, EndFacts(99, reason="raised", pending=(90, 91), tail=ran_out.tail), full(1))
    assert not ask(check, EndFacts(99))


def carried(loader_of_start: int = 1) -> Any:
    before = (backward(1, at=1), backward(2, at=2))
    after = (backward(3, at=5), backward(4, at=6))
    return step(2, (*before, edge(3, "end"), edge(4, "start", loader_of_start), *after), gradient(1, 2, 3, 4))


def test_a_window_across_the_edge_is_noted() -> None:
    check = window_carried_over_epoch.check
    (evidence,) = ask(check, carried())
    assert evidence.numbers == {"carried_over": 2, "window": 4}
    assert not ask(check, carried(loader_of_start=2))
    assert not ask(check, full(1))


def test_a_tail_lost_once_and_left_again_at_the_end_fires_without_a_loader() -> None:
    check = window_lost_at_epoch_end.check
    end = EndFacts(99, pending=(90, 91), tail=(backward(90, at=1), backward(91, at=2)))
    assert ask(check, end, full(1), full(2), lost(3, edges=False), full(4))
