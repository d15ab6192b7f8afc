"""Frozen by mistake, frozen in vain."""

from dataclasses import replace

from surefoot.facts import BackwardFacts, LossFacts, MisspellingFacts, OpFacts, ParameterFacts
from surefoot.rules.optim.frozen_parameter_moves import check as moves
from surefoot.rules.optim.misspelled_requires_grad import check as misspelled
from surefoot.rules.optim.nearly_all_frozen import check as nearly_all
from tests.rules.optim.build import BACKWARD, ELSEWHERE, MADE, STEPPED, ask, held, setup, step


def norm(size: int, **facts: object) -> ParameterFacts:
    return held("norm.weight", shape=(size,), module_kind="LayerNorm", **facts)


def frozen(size: int, **facts: object) -> ParameterFacts:
    return ParameterFacts("body.weight", 1, (size,), requires_grad=False, **facts)


def test_only_normalisation_layers_train() -> None:
    (evidence,) = ask(nearly_all, step(3), setup(norm(4), frozen(996), frozen_at=ELSEWHERE))
    assert evidence.level is None and evidence.site == ELSEWHERE and "(0.4%)" in evidence.message
    assert ask(nearly_all, step(3), setup(norm(4), frozen(996)))[0].site == MADE


def test_a_model_with_a_past_is_adapted_on_purpose() -> None:
    assert [e.level for e in ask(nearly_all, step(3), setup(norm(4), frozen(996, loaded=True)))] == ["note"]
    assert not ask(nearly_all, step(3), setup(norm(40), frozen(960, loaded=True)))


def prediction(name: str = "Addmm", num_outputs: int = 3) -> tuple[BackwardFacts, ...]:
    loss = LossFacts(kind="mse", reduction="mean", fed_by=(OpFacts(name, (16, num_outputs)),))
    return (BackwardFacts(29, 3, BACKWARD, loss=loss, reached=((1, 2),)),)


def test_a_new_head_that_is_frozen_is_no_purpose() -> None:
    head = ParameterFacts("head.weight", 1, (3, 32), requires_grad=False)
    model = setup(norm(40), frozen(960, loaded=True), head)
    (evidence,) = ask(nearly_all, step(3, events=prediction()), model)
    assert evidence.level is None and "head.weight, which was never loaded" in evidence.message
    assert not ask(nearly_all, step(3, events=prediction(num_outputs=32)), model)  # not made by the head
    assert not ask(nearly_all, step(3, events=prediction("Sigmoid")), model)
    loaded_head = replace(head, loaded=True)
    assert not ask(nearly_all, step(3, events=prediction()), setup(norm(40), frozen(960, loaded=True), loaded_head))


def test_something_else_trains_too() -> None:
    assert not ask(nearly_all, step(3), setup(norm(4), held("head.weight"), frozen(9960)))
    assert not ask(nearly_all, step(3), setup(norm(100), frozen(900)))
    assert not ask(nearly_all, step(2), setup(norm(4), frozen(996)))
    assert not ask(nearly_all, step(3), setup(frozen(996)))
    assert not ask(nearly_all, step(3))


def test_misspellings_are_told_where_they_are_written() -> None:
    found = MisspellingFacts("require_grad", "parameter", ("a.weight", "a.bias"), 2, False, ELSEWHERE)
    (evidence,) = ask(misspelled, setup(misspellings=(found,)))
    assert evidence.site == ELSEWHERE
    assert "require_grad = False was set on 2 parameters (a.weight, a.bias)" in evidence.message
    on_module = MisspellingFacts("requires_grad", "module", ("body",), 1, False)
    (evidence,) = ask(misspelled, setup(misspellings=(on_module,)))
    assert evidence.site == MADE and "requires_grad_(False)" in evidence.fix
    assert not ask(misspelled, setup())


def test_frozen_parameters_that_move_are_told_at_the_step() -> None:
    (evidence,) = ask(moves, step(4, frozen_moved=("body.weight",)))
    assert evidence.site == STEPPED and "body.weight" in evidence.message
    assert not ask(moves, step(4))
