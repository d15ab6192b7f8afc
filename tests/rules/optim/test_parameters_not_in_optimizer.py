from dataclasses import replace

from surefoot.facts import BackwardFacts, EndFacts, ParameterFacts, StepFacts
from surefoot.rules import Evidence
from surefoot.rules.optim.parameters_not_in_optimizer import check
from tests.rules.optim.build import MADE, ask, free, held, optimizer, setup, step

BODY = [held(f"body.{i}.weight", before_trained=i == 0, after_trained=i > 0) for i in range(3)]


def judge(*parameters: ParameterFacts, now: StepFacts | None = None) -> list[Evidence]:
    return ask(check, now or step(3), setup(*parameters))


def levels(*parameters: ParameterFacts) -> list[str | None]:
    return [evidence.level for evidence in judge(*parameters)]


WARNING, NOTE = [None], ["note"]


def test_a_forgotten_head_is_told_where_the_optimizer_was_made() -> None:
    (evidence,) = judge(*BODY, free("head.weight", after_trained=True), free("head.bias", after_trained=True))
    assert evidence.level is None and evidence.site == MADE
    assert "2 parameters (head.weight, head.bias; 20 elements)" in evidence.message
    assert evidence.numbers == {"params": 2}


def test_waits_until_a_program_that_updates_by_hand_has_shown_it() -> None:
    head = free("head.weight", after_trained=True)
    assert judge(*BODY, head, now=step(3)) and not judge(*BODY, head, now=step(2))
    assert not judge(*BODY, free("head.weight", after_trained=True, by_hand=True))


def test_a_layer_made_after_the_optimizer_is_forgotten_wherever_it_lies() -> None:
    head = held("head.weight", after_trained=True)
    assert levels(head, free("body.0.weight", before_trained=True)) == NOTE
    assert levels(head, free("body.0.weight", before_trained=True, late=True)) == WARNING


def test_a_layer_in_the_place_of_a_held_one_is_forgotten_even_if_loaded() -> None:
    old = held("body.0.weight", model=None, reached=False, replaced_by="body.0.weight")
    new = free("body.0.weight", before_trained=True, loaded=True)
    assert levels(held("head.weight", after_trained=True), old, new) == WARNING
    assert levels(held("head.weight", after_trained=True), new) == NOTE


def test_a_layer_replaced_while_training_belongs_to_another_rule() -> None:
    old = held("head.weight", model=None, replaced_by="head.weight")
    assert not judge(*BODY, old, free("head.weight", after_trained=True))


def test_a_second_model_beside_the_trained_one_is_forgotten_unless_it_has_a_past() -> None:
    assert levels(*BODY, free("tower.weight", model=2)) == WARNING
    assert levels(*BODY, free("tower.weight", model=2, eval_mode=True)) == NOTE
    assert levels(*BODY, free("tower.weight", model=2, loaded=True)) == NOTE
    assert levels(*BODY, free("tower.weight", model=2, copied=True)) == NOTE
    assert levels(*BODY, free("tower.weight", model=2, trained=True)) == NOTE


def test_a_past_that_the_trained_part_shares_explains_nothing() -> None:
    body = [held(f"body.{i}.weight", loaded=True) for i in range(3)]
    assert levels(*body, free("head.weight", after_trained=True, loaded=True)) == WARNING


def test_a_backbone_below_a_head_is_left_out_on_purpose() -> None:
    backbone = [free(f"body.{i}.weight", before_trained=True) for i in range(2)]
    assert levels(*backbone, held("head.weight", after_trained=True)) == NOTE


def test_an_embedding_below_a_deep_model_is_forgotten() -> None:
    assert levels(free("embed.weight", before_trained=True, module_kind="Embedding"), *BODY) == WARNING


def test_biases_alone_are_never_left_out_on_purpose_but_weights_are() -> None:
    weights = [held("a.weight"), held("b.weight", after_trained=True)]
    assert levels(*weights, free("a.bias"), free("b.bias", after_trained=True)) == WARNING
    biases = [held("a.bias"), held("b.bias", after_trained=True)]
    assert levels(*biases, free("a.weight"), free("b.weight", after_trained=True)) == NOTE


def test_normalisation_layers_adapters_and_prompts_are_notes() -> None:
    assert levels(*BODY, free("norm.weight", after_trained=True, module_kind="LayerNorm", shape=(4,))) == NOTE
    prompt = held("prompt", model=None, module_kind="")
    assert levels(prompt, free("net.weight", after_trained=True)) == NOTE
    assert levels(prompt, free("offset", model=None, module_kind="")) == WARNING  # a model of bare tensors
    adapter = held("block.adapter.weight", after_trained=True, shape=(4, 2))
    around = [free("block.a.weight", before_trained=True), free("block.b.weight", after_trained=True, shape=(40, 40))]
    assert levels(around[0], adapter, around[1]) == NOTE


def test_silent_when_another_rule_or_nobody_is_concerned() -> None:
    head = free("head.weight", after_trained=True)
    assert not judge(*BODY, held("head.weight", by=(2,)))
    assert not judge(*BODY, free("head.weight", after_trained=True, hidden_in="Net.heads"))
    assert not judge(*BODY, free("head.weight", requires_grad=False))
    assert not judge(*BODY, ParameterFacts("head.weight", 1, reached=True))  # its gradient is always zero
    assert not judge(*BODY, head, now=step(3, unowned=0))
    assert not judge(*BODY, head, now=step(3, reached=0))
    assert not judge(*BODY, head, now=step(3, skipped=True))


def test_one_of_two_optimizers_is_blamed() -> None:
    two = (optimizer(1), optimizer(2))
    facts = setup(
        *BODY, held("critic.weight", by=(2,), model=2), free("head.weight", after_trained=True), optimizers=two
    )
    assert ask(check, step(3, optimizer=1), facts)
    assert not ask(check, step(3, optimizer=2), facts)


def test_what_is_frozen_for_another_loss_still_tells_whose_optimizer_it_is() -> None:
    two = (optimizer(1), optimizer(2))
    critic = held("q.weight", by=(2,), model=2, trained=True, requires_grad=False)
    facts = setup(*BODY, critic, free("twin.weight", model=3), optimizers=two)
    actor = step(2, unowned=0)
    (evidence,) = ask(check, step(3, optimizer=2), facts, actor)
    assert evidence.site == two[1].site


def test_an_optimizer_that_never_steps_is_told_at_the_end() -> None:
    two = (optimizer(1), optimizer(2))
    idle = held("decoder.weight", by=(2,), model=2)
    reached = ((1, 2), (2, 1))
    steps = [step(i, events=(BackwardFacts(i, i, reached=reached),)) for i in range(1, 4)]
    facts = setup(*[replace(p, trained=True) for p in BODY], idle, optimizers=two)
    (evidence,) = ask(check, EndFacts(99), facts, *steps)
    assert evidence.site == two[1].site and "never stepped" in evidence.message
    assert not ask(check, EndFacts(99, reason="interrupted"), facts, *steps)
    assert not ask(check, EndFacts(99), facts, *steps[:2])
    assert not ask(check, EndFacts(99), setup(*BODY, replace(idle, trained=True), optimizers=two[1:]), *steps)
    assert not ask(check, EndFacts(99), setup(replace(idle, optimizers=(1, 2)), optimizers=two), *steps)


def test_a_backbone_that_was_thawed_is_meant_to_be_trained_unless_it_was_already() -> None:
    head = held("head.weight", after_trained=True)
    assert levels(head, free("body.0.weight", before_trained=True, loaded=True, thawed=True)) == WARNING
    assert levels(head, free("body.0.weight", before_trained=True, thawed=True, trained=True)) == NOTE


CRITIC = [free("critic.weight", model=2), free("critic.bias", model=2)]
TARGET = [held("target.weight", by=(2,), model=3, reached=False), held("target.bias", by=(2,), model=3, reached=False)]


def idle(update: int) -> StepFacts:
    return step(update, optimizer=2, reached=0)


def test_an_optimizer_over_the_wrong_network_is_named_and_no_other() -> None:
    facts = setup(*BODY, *TARGET, *CRITIC, optimizers=(optimizer(1), optimizer(2, kind="Adam")))
    (evidence,) = ask(check, idle(3), facts, idle(1), idle(2), step(1), step(2))
    assert evidence.level is None and evidence.site == optimizer(2).site
    assert "this Adam holds target.weight, target.bias, without a gradient at any of its 3 steps" in evidence.message
    assert "those of critic.weight, critic.bias, which no optimizer holds" in evidence.message
    assert evidence.message.endswith("the wrong one of two networks of the same shape")
    assert not ask(check, step(3), facts, idle(1), idle(2), step(1), step(2))  # the one that trains the body
    trained_once = step(1, optimizer=2)
    assert not ask(check, idle(3), facts, trained_once, idle(2))


def test_two_networks_of_different_shapes_are_not_called_twins() -> None:
    other = [free("student.weight", model=2, shape=(2, 2))]
    two = (optimizer(1), optimizer(2))
    (evidence,) = ask(check, idle(3), setup(*TARGET, *other, optimizers=two), idle(1), idle(2))
    assert "same shape" not in evidence.message
    pretrained = [free("judge.weight", model=2, shape=(2, 2), loaded=True)]
    assert not ask(check, idle(3), setup(*TARGET, *pretrained, optimizers=two), idle(1), idle(2))


def test_of_two_optimizers_the_one_whose_losses_reach_the_network_is_blamed() -> None:
    both = [held("critic.weight", by=(1, 2), model=2, after_trained=True)]
    facts = setup(*both, free("actor.weight", model=1, late=True), optimizers=(optimizer(1), optimizer(2)))
    others = [step(i, optimizer=2, unowned=0) for i in (1, 2, 3)]
    assert ask(check, step(3), facts, *others)
    assert not ask(check, step(4, optimizer=2, unowned=0), facts, *others)
