"""accumulation-not-averaged, unequal-micro-batches and loss-backwarded-twice."""

from dataclasses import replace
from typing import Any

import pytest

from surefoot.facts import ClipFacts, EpochEdgeFacts, LossFacts
from surefoot.rules.grad import accumulation_not_averaged, loss_backwarded_twice, unequal_micro_batches
from tests.rules.grad.build import ask, backward, gradient, setup, step


def loss(items: int | None = 8, factor: float | None = 1.0, reduction: str = "mean") -> LossFacts:
    return LossFacts(chain=("MseLoss",), kind="mse", reduction=reduction, factor=factor, num_items=items)


def window(*losses: LossFacts, extra: tuple[Any, ...] = (), **fields: Any) -> Any:
    batches = tuple(backward(i + 1, loss=entry) for i, entry in enumerate(losses))
    return step(1, (*batches, *extra), gradient(*(b.ordinal for b in batches), **fields))


def test_summed_means_fire() -> None:
    (evidence,) = ask(accumulation_not_averaged.check, window(*[loss()] * 4), setup())
    assert evidence.level is None and evidence.numbers["micro_batches"] == 4


@pytest.mark.parametrize(
    "kind, group, clips, level",
    [
        ("Adam", {}, (), "note"),
        ("AdamW", {"weight_decay": 0.01}, (), "note"),
        ("Adam", {"weight_decay": 0.01}, (), None),
        ("AdamW", {}, (ClipFacts(99),), None),
        ("SGD", {}, (), None),
    ],
)
def test_optimizers_that_cancel_a_factor_get_a_note(kind: str, group: Any, clips: Any, level: str | None) -> None:
    (evidence,) = ask(accumulation_not_averaged.check, window(*[loss()] * 2, extra=clips), setup(kind, **group))
    assert evidence.level == level


def test_averaged_summed_edited_or_unknown_windows_are_silent() -> None:
    check = accumulation_not_averaged.check
    for silent in (
        window(*[loss(factor=0.25)] * 4),
        window(*[loss(reduction="sum")] * 4),
        window(*[loss(factor=None)] * 4),
        window(*[loss()] * 4, edited=True),
        window(*[loss()] * 4, by_hand=True),
        window(loss()),
    ):
        assert not ask(check, silent, setup())


def test_different_losses_or_heads_are_no_micro_batches() -> None:
    check = accumulation_not_averaged.check
    two_lines = step(1, (backward(1), backward(2, line=20)), gradient(1, 2))
    two_heads = step(1, (backward(1), backward(2)), gradient(1, 2), gradient(1), gradient(2))
    two_kinds = step(1, (backward(1), backward(2, loss=LossFacts(chain=("L1Loss",), reduction="mean"))), gradient(1, 2))
    for silent in (two_lines, two_heads, two_kinds):
        assert not ask(check, silent, setup())


def test_ragged_micro_batches_fire_with_their_shares() -> None:
    (evidence,) = ask(unequal_micro_batches.check, window(*[loss(n, 0.25) for n in (7, 5, 3, 1)]))
    assert evidence.numbers["shares"] == [0.25] * 4
    assert evidence.numbers["right_shares"] == [0.4375, 0.3125, 0.1875, 0.0625]


def test_proportional_equal_or_nearly_equal_weights_are_silent() -> None:
    check = unequal_micro_batches.check
    assert not ask(check, window(*[loss(n, n / 16) for n in (7, 5, 3, 1)]))
    assert not ask(check, window(*[loss(8, 0.25)] * 4))
    assert not ask(check, window(loss(1000, 0.5), loss(990, 0.5)))
    assert not ask(check, window(loss(7, 0.5), loss(None, 0.5)))
    assert not ask(check, window(loss(7, 0.5), loss(1, 0.5), edited=True))


def test_one_loss_twice_fires_and_two_losses_do_not() -> None:
    check = loss_backwarded_twice.check
    twice = step(1, (backward(1, root=9, value=0.5), backward(2, line=20, root=9, value=0.5)), gradient(1, 2))
    (evidence,) = ask(check, twice)
    assert evidence.site is not None and evidence.site.line == 20
    heads = step(1, (backward(1, root=9), backward(2, root=12)), gradient(1, 2))
    cleared = step(1, (backward(1, root=9), backward(2, root=9)), gradient(2))
    assert not ask(check, heads) and not ask(check, cleared)


def test_one_loss_alone_and_in_a_sum_fires_where_both_meet() -> None:
    check = loss_backwarded_twice.check
    backwards = (backward(1, root=9), replace(backward(2, line=20, root=12), again=(1,)))
    (evidence,) = ask(check, step(1, backwards, gradient(1, 2)))
    assert evidence.site is not None and evidence.site.line == 20
    assert evidence.numbers["first_backward"] == 1
    assert not ask(check, step(1, backwards, gradient(2)))
    assert not ask(check, step(1, backwards, gradient(1), gradient(2)))


def test_a_trainer_runs_its_last_micro_batch_as_the_closure() -> None:
    batches = [backward(i, loss=loss(n, 0.5), inside_step=1 if i == 2 else None) for i, n in ((1, 7), (2, 1))]
    assert ask(unequal_micro_batches.check, step(1, tuple(batches), gradient(1, 2), closure=True))
    searched = [backward(i, loss=loss(n, 0.5), inside_step=1) for i, n in ((1, 7), (2, 1))]
    assert not ask(unequal_micro_batches.check, step(1, tuple(searched), gradient(1, 2), closure=True))


def masked(kept: int, factor: float) -> LossFacts:
    return LossFacts(chain=("Div", "Sum"), kind="mse", reduction="sum", factor=factor, num_items=48, num_kept=kept)


def test_means_of_what_masks_leave_fire() -> None:
    (evidence,) = ask(unequal_micro_batches.check, window(masked(6, 1 / 12), masked(18, 1 / 36)))
    assert evidence.numbers["items"] == [6, 18] and evidence.numbers["right_shares"] == [0.25, 0.75]


def test_sums_over_one_number_or_weighted_freely_are_silent() -> None:
    check = unequal_micro_batches.check
    assert not ask(check, window(masked(6, 1 / 24), masked(18, 1 / 24)))
    assert not ask(check, window(masked(6, 1 / 12), masked(18, 1 / 24)))


def epoch(update: int, size: int, *, starts: bool, divided_by: int = 4, length: int = 17) -> Any:
    edges = (EpochEdgeFacts(5, 1, "start", 1, length=length),) if starts else ()
    ordinals = range(1, size + 1)
    batches = tuple(backward(i, loss=loss(factor=1 / divided_by)) for i in ordinals)
    return step(update, (*edges, *batches), gradient(*ordinals))


def test_short_first_windows_fire() -> None:
    past = (epoch(1, 1, starts=True), epoch(2, 4, starts=False))
    (evidence,) = ask(unequal_micro_batches.check, epoch(6, 1, starts=True), *past)
    assert "0.25 times the mean" in evidence.message
    assert evidence.site is not None and evidence.site.line == 12


def test_first_windows_that_are_full_or_short_once_or_whole_passes_are_silent() -> None:
    check, full = unequal_micro_batches.check, epoch(2, 4, starts=False)
    assert not ask(check, epoch(6, 1, starts=True), full)
    assert not ask(check, epoch(6, 1, starts=True), epoch(1, 4, starts=True), full)
    assert not ask(check, epoch(6, 1, starts=False), epoch(1, 1, starts=True), full)
    assert not ask(check, epoch(6, 1, starts=True, length=1), epoch(1, 1, starts=True, length=1), full)
    assert not ask(check, epoch(6, 1, starts=True, divided_by=2), epoch(1, 1, starts=True, divided_by=2), full)
