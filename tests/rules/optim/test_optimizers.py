"""Shared, remade and idle optimizers."""

import pytest

from surefoot.facts import EpochEdgeFacts, GradientFacts, GroupFacts, ScheduleFacts, SchedulerFacts, StepFacts
from surefoot.rules.optim.adam_with_l2_decay import check as adam
from surefoot.rules.optim.decay_on_norm_or_bias import check as decay
from surefoot.rules.optim.optimizer_recreated import check as recreated
from surefoot.rules.optim.parameter_in_two_optimizers import check as two
from surefoot.rules.optim.zero_learning_rate import check as zero
from tests.rules.optim.build import ELSEWHERE, MADE, ask, held, optimizer, other_step, setup, step

PAIR = setup(held("w", by=(1, 2)), optimizers=(optimizer(1), optimizer(2)))


def shared(update: int, *, other_at: int = 2, **facts: object) -> StepFacts:
    """A step on gradients that the other optimizer's step, so long after the backward, has used."""
    used = GradientFacts(("w",), 1, sources=(update,), used_by_others=(100 + update,))
    events = (*step(update).events, other_step(100 + update, 10 * update + other_at))
    return step(update, events=events, gradients=(used,), **facts)


def test_a_gradient_used_twice_is_told_where_the_newer_optimizer_was_made() -> None:
    (evidence,) = ask(two, shared(3), PAIR, shared(1), shared(2))
    assert evidence.site is not None and evidence.site.line == MADE.line + 1


def test_two_optimizers_in_turn_are_fine() -> None:
    assert not ask(two, shared(3), PAIR, shared(2))
    assert not ask(two, shared(3), PAIR, step(1), shared(2))
    assert not ask(two, shared(3, other_at=-2), PAIR, shared(1), shared(2))  # a fresh gradient came after it
    assert not ask(two, shared(3, inside_step=2), PAIR, shared(1), shared(2))
    assert not ask(two, shared(3, closure=True), PAIR, shared(1), shared(2))


def zeros(first: int, last: int, **facts: object) -> list[StepFacts]:
    return [step(update, lrs=(0.0,), **facts) for update in range(first, last + 1)]


def test_rate_zero_from_the_start() -> None:
    *past, now = zeros(1, 8)
    (evidence,) = ask(zero, now, setup(), *past)
    assert evidence.site == MADE and "8 of the 8 steps" in evidence.message
    assert not ask(zero, zeros(1, 7)[-1], setup(), *zeros(1, 6))
    assert not ask(zero, now, setup(), step(1), *past[1:])


def test_rate_zero_for_an_epoch_of_a_few_steps() -> None:
    start = EpochEdgeFacts(5, 1, "start", 1)
    end = EpochEdgeFacts(35, 1, "end", 1, num_steps=3)
    first, second, third, fourth = zeros(1, 4)
    first = step(1, lrs=(0.0,), events=(start, *first.events))
    fourth = step(4, lrs=(0.0,), events=(end, *fourth.events))
    assert ask(zero, fourth, setup(), first, second, third)
    risen = step(4, events=fourth.events)
    assert ask(zero, risen, setup(), first, second, third)
    assert not ask(zero, step(4), setup(), first, second, third)
    assert not ask(zero, step(5, events=fourth.events), setup(), first, second, third, step(4))
    assert not ask(zero, third, setup(), first, second)


def test_rate_zero_at_the_end_of_a_decay_is_fine_for_a_while() -> None:
    trained = [step(update) for update in range(1, 21)]
    assert not ask(zero, zeros(21, 39)[-1], setup(), *trained, *zeros(21, 38))
    assert ask(zero, zeros(21, 40)[-1], setup(), *trained, *zeros(21, 39))
    longer = step(400, lrs=(0.0,), repeats=98)
    assert ask(zero, longer, setup(), step(300), step(301, lrs=(0.0,)))


def test_a_scheduler_that_brings_the_rate_to_zero_is_blamed() -> None:
    scheduled = optimizer(groups=(GroupFacts(0.0, initial_lr=0.1),))
    scheduler = SchedulerFacts(1, "LambdaLR", 1, ELSEWHERE)
    *past, now = zeros(1, 8)
    assert ask(zero, now, setup(optimizers=(scheduled,), schedulers=(scheduler,)), *past)[0].site == ELSEWHERE


def test_one_group_at_zero_is_a_note_and_no_rate_is_no_zero() -> None:
    assert [e.level for e in ask(zero, step(8, lrs=(0.0, 0.1)), setup())] == ["note"]
    assert not ask(zero, step(2, lrs=(0.0, 0.1)), setup())
    assert not ask(zero, step(8, lrs=()), setup())


def life(number: int, length: int, *loaders: int) -> list[StepFacts]:
    """The steps of one optimizer, with passes over loaders at its start."""
    edges = tuple(EpochEdgeFacts(1, loader, "start", number) for loader in loaders)
    return [step(i, optimizer=number, events=edges if i == 1 else ()) for i in range(1, length + 1)]


def remade(*lives: list[StepFacts], **facts: object) -> list[object]:
    number = len(lives) + 1
    maker = optimizer(number, ancestors=tuple(range(1, number)), site=MADE, **facts)
    return [*ask(recreated, step(1, optimizer=number), setup(optimizers=(maker,)), *[s for one in lives for s in one])]


def test_an_optimizer_made_at_every_step_or_epoch() -> None:
    assert remade(life(1, 1), life(2, 1))
    assert remade(life(1, 20, 7), life(2, 20, 7))
    assert remade(life(1, 4), life(2, 4), life(3, 4))


@pytest.mark.parametrize(
    "lives",
    [
        [life(1, 1)],
        [life(1, 20, 7, 7), life(2, 20, 7, 7)],
        [life(1, 20, 7), life(2, 20, 8)],
        [life(1, 4), life(2, 4)],
        [life(1, 17), life(2, 17), life(3, 17)],
    ],
    ids=["once", "several epochs each", "another loader each", "two phases", "long phases"],
)
def test_phases_and_tasks_are_fine(lives: list[list[StepFacts]]) -> None:
    assert not remade(*lives)


def test_the_loop_that_makes_it_tells_an_epoch_from_a_task() -> None:
    long = life(1, 20), life(2, 20)
    assert remade(*long, made_in_loop="epoch") and remade(*long, made_in_loop="(i, num_epoch)")
    assert not remade(*long) and not remade(*long, made_in_loop="i")
    short = life(1, 4), life(2, 4), life(3, 4)
    assert remade(*short, made_in_loop="i") and not remade(*short, made_in_loop="task")
    assert not remade(life(1, 20, 7), life(2, 20, 7), made_in_loop="fold")


def test_decay_through_the_gradient_is_noted_for_adam_only() -> None:
    decayed = (GroupFacts(0.1, weight_decay=0.01),)
    assert ask(adam, setup(optimizers=(optimizer(kind="Adam", groups=decayed),)))
    for silent in (
        optimizer(kind="SGD", groups=decayed),
        optimizer(kind="Adam"),
        optimizer(kind="Adam", groups=decayed, builtin=False),
        optimizer(kind="NAdam", groups=(GroupFacts(0.1, weight_decay=0.01, decoupled=True),)),
    ):
        assert not ask(adam, setup(optimizers=(silent,)))


def test_decay_on_biases_is_noted() -> None:
    both = GroupFacts(0.1, weight_decay=0.01, num_params=4, num_norm_or_bias=2)
    assert ask(decay, setup(optimizers=(optimizer(groups=(both,)),)))[0].numbers == {"params": 2}
    apart = (GroupFacts(0.1, weight_decay=0.01), GroupFacts(0.1, num_norm_or_bias=2))
    assert not ask(decay, setup(optimizers=(optimizer(groups=apart),)))


def test_the_advice_where_a_rate_was_above_zero_before() -> None:
    trained = [step(i) for i in range(1, 21)]
    made = SchedulerFacts(1, "LinearLR", 1, MADE, length=20)
    *past, now = zeros(21, 40, schedules=(ScheduleFacts(made, drives=(1,), count=20),))
    (evidence,) = ask(zero, now, setup(), *trained, *past)
    assert "make LinearLR (20 advances) as long as the run" in evidence.fix and "within 20 steps" in evidence.fix
    *past, now = zeros(21, 40)
    (evidence,) = ask(zero, now, setup(), *trained, *past)
    assert evidence.fix == "find what set the rate to 0 after 20 steps."
