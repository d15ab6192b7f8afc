"""same-order-every-epoch on hand-written facts."""

from typing import Any

import pytest

from surefoot.rules.data.same_order_every_epoch import check
from tests.rules.data.build import IN_ORDER, OTHERWISE, STARTED, ask, passed


def epochs(num: int, **fields: Any) -> list[Any]:
    return [passed(number, **fields) for number in range(1, num + 1)]


def test_a_distributed_sampler_needs_one_repeat_a_random_one_two() -> None:
    (found,) = ask(check, *epochs(2, sampler="distributed"))
    assert found.site == STARTED and "set_epoch" in found.fix
    assert ask(check, *epochs(2, sampler="random")) == []
    (found,) = ask(check, *epochs(3, sampler="random"))
    assert "seed" in found.fix


@pytest.mark.parametrize(
    "why",
    [
        {"sampler": "sequential"},
        {"trained": False},
        {"marks": tuple((n, (n // 2,)) for n, _ in IN_ORDER)},  # some batches alike: chance
        {"marks": IN_ORDER[:3]},
        {"num_steps": 0},
    ],
)
def test_silent(why: dict[str, Any]) -> None:
    assert ask(check, *epochs(3, **{"sampler": "random", **why})) == []


def test_silent_when_one_epoch_was_otherwise_or_another_optimizer_stepped() -> None:
    last = passed(3, sampler="random")
    assert ask(check, passed(1, sampler="random", marks=OTHERWISE), passed(2, sampler="random"), last) == []
    assert ask(check, passed(1, sampler="random", optimizers=(7,)), passed(2, sampler="random"), last) == []


def test_passes_of_evaluation_in_between_do_not_count() -> None:
    one, two, three = epochs(3, sampler="random")
    looked_at = passed(9, sampler="random", trained=False, marks=OTHERWISE)
    assert len(ask(check, one, looked_at, two, looked_at, three)) == 1
