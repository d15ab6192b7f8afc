"""gradients-cleared-before-step and micro-batches-discarded."""

from dataclasses import replace

from surefoot.facts import Event, StepFacts
from surefoot.rules.grad import gradients_cleared_before_step, micro_batches_discarded
from tests.rules.grad.build import LINE, ask, backward, clear, gradient, other_step, step


def starved(update: int) -> object:
    at = 100 * update
    events = (backward(update, at=at), clear(at + 1))
    return step(update, events, gradient(present=False, discarded=(update,), cleared_by=at + 1))


def test_clearing_between_backward_and_step_fires_at_the_clearing_line() -> None:
    (evidence,) = ask(gradients_cleared_before_step.check, starved(2), starved(1))
    assert evidence.site is not None and evidence.site.line == LINE["zero_grad"]
    assert evidence.numbers["params"] == 2


def test_clearing_once_may_be_a_dropped_batch() -> None:
    check = gradients_cleared_before_step.check
    assert not ask(check, starved(1))
    healthy = step(1, (backward(1),), gradient(1))
    assert not ask(check, starved(2), healthy)


def test_clearing_part_of_the_parameters_on_purpose_is_silent() -> None:
    check = gradients_cleared_before_step.check
    partly = [
        step(u, (backward(u),), gradient(u), gradient(present=False, discarded=(u,), cleared_by=5)) for u in (1, 2)
    ]
    assert not ask(check, partly[1], partly[0])


def test_unseen_clearing_is_told_at_the_step() -> None:
    def unseen(update: int) -> object:
        return step(update, (backward(update),), gradient(present=False, discarded=(update,)))

    (evidence,) = ask(gradients_cleared_before_step.check, unseen(2), unseen(1))
    assert evidence.site is not None and evidence.site.line == LINE["step"]


def wasteful(update: int, lost: int = 3, line: int = LINE["backward"]) -> StepFacts:
    first = 10 * update
    batches = [backward(first + i, line=line) for i in range(lost)]
    last = backward(first + lost)
    events = (*batches, clear(last.at - 1), last)
    return step(
        update, events, gradient(last.ordinal, discarded=tuple(b.ordinal for b in batches), cleared_by=last.at - 1)
    )


def test_discarding_all_but_the_last_micro_batch_fires() -> None:
    (evidence,) = ask(micro_batches_discarded.check, wasteful(2), wasteful(1))
    assert evidence.numbers == {"micro_batches": 4, "lost": 3, "share_used": 0.25}
    assert evidence.site is not None and evidence.site.line == LINE["zero_grad"]


def test_discarding_irregularly_or_from_other_lines_is_silent() -> None:
    check = micro_batches_discarded.check
    assert not ask(check, wasteful(1))
    assert not ask(check, wasteful(2, lost=1), wasteful(1, lost=3))
    assert not ask(check, wasteful(2, line=99), wasteful(1, line=99))


def test_clearing_at_regular_intervals_fires_at_the_third() -> None:
    check = gradients_cleared_before_step.check
    fine = [step(u, (backward(u),), gradient(u)) for u in (2, 3, 5, 6)]
    assert ask(check, starved(7), starved(1), *fine[:2], starved(4), *fine[2:])
    assert not ask(check, starved(6), starved(1), *fine[:2], starved(4), fine[2])


def test_batches_that_were_not_finite_are_dropped_on_purpose() -> None:
    def dropped(update: int) -> object:
        events = (backward(update, at=100 * update, value=float("nan")), clear(100 * update + 1))
        return step(update, events, gradient(present=False, discarded=(update,), cleared_by=100 * update + 1))

    assert not ask(gradients_cleared_before_step.check, dropped(2), dropped(1))


def test_gradients_collected_and_written_back_by_hand_are_not_lost() -> None:
    def collected(update: int) -> StepFacts:
        facts = wasteful(update)
        return replace(facts, gradients=tuple(replace(g, by_hand=True) for g in facts.gradients))

    assert not ask(micro_batches_discarded.check, collected(2), collected(1))


def taking_turns(update: int, between: tuple[Event, ...] = ()) -> StepFacts:
    first = 10 * update
    theirs, ours = (backward(first + i, reached=((1, 2), (2, 2))) for i in range(2))
    events = (theirs, *between, other_step(theirs.at + 5), clear(theirs.at + 6), ours)
    return step(update, events, gradient(ours.ordinal, discarded=(theirs.ordinal,), cleared_by=theirs.at + 6))


def test_a_batch_that_another_optimizer_stepped_with_is_not_lost() -> None:
    assert not ask(micro_batches_discarded.check, taking_turns(2), taking_turns(1))


def test_a_step_of_another_optimizer_with_its_own_backward_does_not_save_a_batch() -> None:
    own = [(backward(100 + u, line=30, at=100 * u + 2, reached=((2, 2),)),) for u in (1, 2)]
    assert ask(micro_batches_discarded.check, taking_turns(2, own[1]), taking_turns(1, own[0]))
