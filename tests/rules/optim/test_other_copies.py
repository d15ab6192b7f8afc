"""Stale, replaced and hidden parameters."""

from surefoot.facts import PassingFacts
from surefoot.rules.optim.optimizer_holds_stale_parameters import check as stale
from surefoot.rules.optim.parameter_replaced import check as replaced
from surefoot.rules.optim.unregistered_module import check as unregistered
from tests.rules.optim.build import ELSEWHERE, MADE, STEPPED, ask, free, held, optimizer, setup, step

OLD = held("weight", model=None, reached=False, had_home=True)
NEW = free("weight", late=True)


def test_leftovers_of_a_model_that_is_gone_are_stale() -> None:
    (evidence,) = ask(stale, step(2, reached=0), setup(OLD, NEW), step(1, reached=0))
    assert evidence.site == MADE and evidence.numbers == {"held": 2, "live": 1}


def test_a_later_copy_with_the_same_shapes_makes_the_old_one_stale() -> None:
    alive = held("weight", reached=False)
    assert ask(stale, step(2, reached=0), setup(alive, NEW), step(1, reached=0))
    assert not ask(stale, step(2, reached=0), setup(alive, free("weight")), step(1, reached=0))
    assert not ask(stale, step(2, reached=0), setup(alive, free("weight", late=True, shape=(9,))), step(1, reached=0))


def test_bare_tensors_are_only_stale_beside_doubles() -> None:
    bare = held("<unnamed (4, 4)>", model=None, reached=False)
    assert ask(stale, step(2, reached=0), setup(bare, free("weight")), step(1, reached=0))
    assert not ask(stale, step(2, reached=0), setup(bare, free("weight", shape=(9,))), step(1, reached=0))
    assert not ask(stale, step(2, reached=0), setup(bare), step(1, reached=0))


def test_not_stale_while_gradients_come_from_anywhere() -> None:
    facts = setup(OLD, NEW)
    assert not ask(stale, step(2), facts, step(1, reached=0))
    assert not ask(stale, step(2, reached=0), facts)
    assert not ask(stale, step(2, reached=0), facts, step(1))
    assert not ask(stale, step(2, reached=0, unowned=0), facts, step(1, reached=0))
    by_hand = step(2).gradients[0].__class__(("w",), 2, by_hand=True)
    assert not ask(stale, step(2, reached=0, gradients=(by_hand,)), facts, step(1, reached=0))


def test_a_parameter_replaced_while_training_is_told_where_that_happened() -> None:
    old = held("head.weight", model=None, replaced_by="head.weight", replaced_at=ELSEWHERE)
    body = held("body.weight")
    (evidence,) = ask(replaced, step(5), setup(body, old, free("head.weight")))
    assert evidence.site == ELSEWHERE and "head.weight was replaced" in evidence.message
    assert not ask(replaced, step(5), setup(body, old, held("head.weight")))
    assert not ask(replaced, step(5), setup(body, old, free("head.weight", requires_grad=False)))
    assert not ask(replaced, step(5, unowned=0), setup(body, old, free("head.weight")))


def test_a_parameter_replaced_before_training_is_no_replacement() -> None:
    old = held("head.weight", model=None, reached=False, replaced_by="head.weight")
    assert not ask(replaced, step(5), setup(held("body.weight"), old, free("head.weight")))


def test_all_parameters_replaced_in_one_model_is_a_replacement_not_stale() -> None:
    old = held("weight", model=None, replaced_by="weight", replaced_at=ELSEWHERE)
    facts = setup(old, NEW)
    assert not ask(stale, step(9, reached=0), facts, step(8, reached=0))
    assert ask(replaced, step(9, reached=0), facts)


def test_hidden_modules_are_told_once_per_container() -> None:
    hidden = [
        free(f"layers[{i}].weight", model=i + 2, hidden_in="Net.layers", hidden_as="list", hidden_at=ELSEWHERE)
        for i in range(3)
    ]
    (evidence,) = ask(unregistered, step(2), setup(held("first.weight"), *hidden))
    assert evidence.site == ELSEWHERE and evidence.numbers == {"params": 3, "container": "Net.layers"}
    without_line = free("a[0].weight", hidden_in="Net.a")
    assert ask(unregistered, step(2), setup(held("first.weight"), without_line))[0].site == MADE
    facts = setup(without_line, optimizers=(optimizer(site=None),))
    assert ask(unregistered, step(2), facts)[0].site == STEPPED


def test_hidden_modules_with_a_past_an_optimizer_or_hands_that_move_them_are_meant() -> None:
    for fact in ("eval_mode", "loaded", "copied", "trained", "by_hand"):
        hidden = free("teacher[0].weight", hidden_in="Net.teacher", **{fact: True})
        assert not ask(unregistered, step(2), setup(held("first.weight"), hidden))
    given = held("layers[0].weight", hidden_in="Net.layers")
    assert not ask(unregistered, step(2), setup(given))
    hidden = free("layers[0].weight", hidden_in="Net.layers")
    assert not ask(unregistered, step(1), setup(hidden))
    assert not ask(unregistered, step(2, unowned=0), setup(hidden))


def test_layers_made_in_forward_are_told_when_seen_again() -> None:
    again = PassingFacts(ELSEWHERE, "Linear", 2)
    (evidence,) = ask(unregistered, step(2), setup(held("first.weight"), passing=(again,)))
    assert evidence.site == ELSEWHERE and "Linear" in evidence.message
    once = PassingFacts(ELSEWHERE, "Linear", 1)
    assert not ask(unregistered, step(2), setup(held("first.weight"), passing=(once,)))
