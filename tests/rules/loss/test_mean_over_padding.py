"""mean-over-padding on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import LossFacts
from surefoot.rules import Evidence
from surefoot.rules.loss.mean_over_padding import check
from tests.rules.loss.build import LOSS, ask, backward, loss, step

WIDTHS = ((40, 20), (64, 60), (50, 20), (72, 40), (96, 90))  # elements, and those that are kept


def padded(num: int, kept: int, **fields: Any) -> LossFacts:
    return loss("mse", **{"num_items": num, "num_kept": kept, "drops_ends": True, **fields})


def judge(*losses: LossFacts) -> list[Evidence]:
    steps = [step(one, update=i) for i, one in enumerate(losses, 1)]
    return ask(check, steps[-1], *steps[:-1])


def test_fires_where_batches_of_other_widths_are_padded() -> None:
    (found,) = judge(*(padded(*width) for width in WIDTHS))
    assert found.site is not None and found.site.line == LOSS
    assert "over 96 elements, of which 6 are padding" in found.message and "0.40 to 0.94" in found.message


def test_fires_where_ignored_targets_stay_in_the_mean() -> None:
    assert judge(*(loss("cross-entropy", num_items=num, num_valid=kept) for num, kept in WIDTHS))


@pytest.mark.parametrize(
    "losses",
    [
        [padded(*width) for width in WIDTHS[:3]],  # too few
        [padded(40, kept) for kept in (20, 30, 10, 40, 25)],  # of one width
        [padded(num, num // 2) for num, _ in WIDTHS],  # the same share of each
        [padded(*width, drops_ends=False) for width in WIDTHS],
        [padded(*width, reduction="sum") for width in WIDTHS],
        [loss("cross-entropy", num_items=num, num_valid=num) for num, _ in WIDTHS],
        [*(padded(*width) for width in WIDTHS), loss("mse", num_items=40)],  # not this one
    ],
)
def test_silent(losses: list[LossFacts]) -> None:
    assert judge(*losses) == []


def test_silent_in_windows_of_several_micro_batches() -> None:
    past = [step(padded(*width), update=i) for i, width in enumerate(WIDTHS, 1)]
    now = step(backward(padded(40, 20), 8), backward(padded(64, 60), 9), update=9)
    assert ask(check, now, *past) == []
